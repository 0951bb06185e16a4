// The required fields of an operation. The compiler checks them; nothing runs.
import { expectTypeOf } from 'vitest'
import { type OtherOperation, operation } from './operation.ts'
import { operations, type sessionServiceOperations } from './operations.ts'

const about = { method: 'get', rpc: null, summary: '', permission: 'read', errors: [] } as const
const { reply } = operations.health

operation({ ...about, path: '/v1/things', belongsTo: 'none', reply })
operation({ ...about, path: '/v1/sessions/{sessionId}/things', belongsTo: 'session', reply })
// @ts-expect-error: belongsTo is missing
operation({ ...about, path: '/v1/things', reply })
// @ts-expect-error: thingId is not declared in path-ids.ts
operation({ ...about, path: '/v1/things/{thingId}', belongsTo: 'none', reply })
// @ts-expect-error: the path has no id of a session
operation({ ...about, path: '/v1/things', belongsTo: 'session', reply })
// @ts-expect-error: the first id is not that of a session
operation({ ...about, path: '/v1/keys/{keyName}', belongsTo: 'session', reply })
// @ts-expect-error: the first id is not that of an ask
operation({ ...about, path: '/v1/sessions/{sessionId}', belongsTo: 'ask', reply })

// Only the session service is limited by `belongsTo`.
type Others = Omit<typeof operations, keyof typeof sessionServiceOperations>
expectTypeOf<Others>().toExtend<Readonly<Record<keyof Others, OtherOperation>>>()
expectTypeOf(operations.getSession).not.toExtend<OtherOperation>()
