export const ACTIONS = ['Purchase', 'Sale'] as const;
export type Action = (typeof ACTIONS)[number];
