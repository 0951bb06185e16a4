import { z } from 'zod'
import { OpenClientCall } from '../projections/session/session-state.ts'
import { operation } from './operation.ts'
import { Applied, ClientDeclaration, sessionRead, sessionWork } from './sessions.ts'

export const ReturnClientCallBody = z
  .strictObject({ output: z.string().max(1_000_000), isError: z.boolean().default(false) })
  .meta({ id: 'ReturnClientCall' })
export type ReturnClientCallBody = z.input<typeof ReturnClientCallBody>

const ClientCallList = z.object({ calls: z.array(OpenClientCall) }).meta({ id: 'ClientCallList' })

export const clientOperations = {
  attachClient: operation({
    ...sessionWork,
    method: 'post',
    path: '/v1/sessions/{sessionId}/clients',
    rpc: 'session.attach',
    summary: 'Declare the tools that this client runs itself; the first client of a session leads',
    body: ClientDeclaration,
    errors: ['session.not-found', 'session.closed', 'session.held-elsewhere'],
  }),
  detachClient: operation({
    ...sessionWork,
    method: 'delete',
    path: '/v1/sessions/{sessionId}/clients/{clientId}',
    rpc: 'session.detach',
    summary: 'Detach; open calls go to the next client, or wait for one',
    errors: ['session.not-found', 'session.closed', 'session.held-elsewhere'],
  }),
  listClientCalls: operation({
    ...sessionRead,
    path: '/v1/sessions/{sessionId}/client-calls',
    rpc: 'session.toolCalls',
    summary: 'List the calls that wait for a client of this session',
    reply: ClientCallList,
    errors: ['session.not-found'],
  }),
  /** A second result is refused with the name of the client that gave the first. */
  returnClientCall: operation({
    method: 'post',
    path: '/v1/client-calls/{callId}',
    rpc: 'session.toolResult',
    summary: 'Return the result of a call, once; a second result is refused',
    permission: 'work',
    belongsTo: 'ask',
    body: ReturnClientCallBody,
    reply: Applied,
    errors: ['client-call.not-found', 'client-call.already-returned', 'session.busy', 'session.held-elsewhere'],
  }),
}
