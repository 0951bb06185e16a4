// The types that callers see. The compiler checks them; nothing runs.

import type {
  ApprovalId,
  EventOfType,
  SessionId,
  SessionStatus,
  StreamedEvent,
  UserMessageId,
} from '@quarterdeck/protocol'
import { expectTypeOf } from 'vitest'
import type { Client } from './create-client.ts'

declare const client: Client
declare const sessionId: SessionId
declare const event: StreamedEvent

expectTypeOf(client.createSession).returns.resolves.toMatchObjectType<{ sessionId: SessionId; appliedSeq: number }>()
expectTypeOf(client.sendMessage).returns.resolves.toMatchObjectType<{ messageId: UserMessageId }>()
expectTypeOf<Awaited<ReturnType<Client['getSession']>>['session']['status']>().toEqualTypeOf<SessionStatus>()
expectTypeOf(client.follow(sessionId)).toEqualTypeOf<AsyncGenerator<StreamedEvent>>()
expectTypeOf<Parameters<Client['decideApproval']>[0]>().toEqualTypeOf<ApprovalId>()

// Ids of different kinds are not interchangeable, and a plain string is neither.
expectTypeOf<string>().not.toExtend<Parameters<Client['getSession']>[0]>()
expectTypeOf<ApprovalId>().not.toExtend<Parameters<Client['getSession']>[0]>()

// Mistakes in a body are compile errors.
expectTypeOf<{ agent: string; mesage: string }>().not.toEqualTypeOf<Parameters<Client['createSession']>[0]>()
expectTypeOf<{ decision: 'maybe' }>().not.toExtend<Parameters<Client['decideApproval']>[1]>()

if (event.type === 'ApprovalRequested') {
  expectTypeOf(event).toEqualTypeOf<EventOfType<'ApprovalRequested'>>()
  expectTypeOf(event.data.approvalId).toEqualTypeOf<ApprovalId>()
}
