export * from './auth.ts';
export * from './catalogue.ts';
export * from './tenant.ts';
export * from './webhooks.ts';
