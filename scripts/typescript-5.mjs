// Gives openapi-typescript the TypeScript 5 that it is made for, as 7 has no interface for programs. For `node --import`.
import { register } from 'node:module';
import common from '@ts-morph/common';

const RESOLVE = `export const resolve = (name, context, next) =>
  name === 'typescript' ? { url: ${JSON.stringify(import.meta.url)}, shortCircuit: true } : next(name, context);`;
register(`data:text/javascript,${encodeURIComponent(RESOLVE)}`);

export default common.ts;
