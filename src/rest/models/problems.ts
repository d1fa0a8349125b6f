import { z } from '@hono/zod-openapi';
import { PROBLEMS } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import { text, whole } from './parts.ts';

/** A detail may repeat names of what was sent. */
const MAX_DETAIL = LIMITS.bodyBytes;

export const ProblemSchema = z
  .strictObject({
    type: z
      .enum(Object.keys(PROBLEMS).map((name) => `/problems/${name}`))
      .meta({ description: 'The address of a page that explains it' }),
    title: text('short'),
    status: whole(400, 599),
    detail: z.string().max(MAX_DETAIL).meta({ description: 'What is wrong here' }),
    instance: z
      .string()
      .max(MAX_DETAIL)
      .meta({ format: 'uri-reference', description: 'The path of the request' }),
    requestId: z.string().max(128).meta({ description: 'Finds the request in the log' }),
    errors: z
      .array(z.strictObject({ pointer: z.string().max(MAX_DETAIL), detail: z.string().max(MAX_DETAIL) }))
      .max(LIMITS.breaches)
      .optional()
      .meta({
        description: `With ValidationFailed: every breach, up to ${LIMITS.breaches}, by JSON pointer or ?name`,
      }),
    limit: whole(0, 2 ** 31 - 1)
      .optional()
      .meta({ description: 'With LimitExceeded' }),
    current: whole(0, 2 ** 31 - 1)
      .optional()
      .meta({ description: 'With LimitExceeded' }),
  })
  .openapi('Problem', { description: `RFC 9457; one of ${Object.keys(PROBLEMS).join(', ')}` });
