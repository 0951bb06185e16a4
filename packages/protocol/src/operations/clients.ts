import { z } from 'zod'
import { OpenClientCall } from '../projections/session/session-state.ts'
import { ClientCallId, SessionId } from '../values/ids.ts'
import { plainText } from './plain-text.ts'
import { route } from './route.ts'
import { Applied, ClientDeclaration, SessionParams } from './sessions.ts'

export const ReturnClientCallBody = z
  .strictObject({ output: z.string().max(1_000_000), isError: z.boolean().default(false) })
  .meta({ id: 'ReturnClientCall' })
export type ReturnClientCallBody = z.input<typeof ReturnClientCallBody>

export const ClientCallList = z.object({ calls: z.array(OpenClientCall) }).meta({ id: 'ClientCallList' })
export type ClientCallList = z.infer<typeof ClientCallList>

export const clientRoutes = {
  attach: route({
    method: 'post',
    path: '/v1/sessions/{sessionId}/clients',
    summary: 'Declare the tools that this client runs itself; the first client of a session leads',
    status: 200,
    needs: 'work',
    params: SessionParams,
    body: ClientDeclaration,
    reply: Applied,
    errors: ['session.not-found', 'session.closed', 'session.held-elsewhere'],
  }),
  detach: route({
    method: 'delete',
    path: '/v1/sessions/{sessionId}/clients/{clientId}',
    summary: 'Detach; open calls go to the next client, or wait for one',
    status: 200,
    needs: 'work',
    params: z.object({ sessionId: SessionId, clientId: plainText(100).min(1) }),
    reply: Applied,
    errors: ['session.not-found', 'session.closed', 'session.held-elsewhere'],
  }),
  calls: route({
    method: 'get',
    path: '/v1/sessions/{sessionId}/client-calls',
    summary: 'The calls that wait for a client of this session',
    status: 200,
    needs: 'read',
    params: SessionParams,
    reply: ClientCallList,
    errors: ['session.not-found'],
  }),
  giveBack: route({
    method: 'post',
    path: '/v1/client-calls/{callId}',
    summary: 'Return the result of a call, once; a second result is refused',
    status: 200,
    needs: 'work',
    params: z.object({ callId: ClientCallId }),
    body: ReturnClientCallBody,
    reply: Applied,
    errors: ['client-call.not-found', 'client-call.already-returned', 'session.busy', 'session.held-elsewhere'],
  }),
}
