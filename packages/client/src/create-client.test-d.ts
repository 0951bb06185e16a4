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
import type { ChangeOptions, Client } from './create-client.ts'

declare const client: Client
declare const sessionId: SessionId
declare const event: StreamedEvent

expectTypeOf(client.createSession).returns.resolves.toMatchObjectType<{ sessionId: SessionId; appliedSeq: number }>()
expectTypeOf(client.sendMessage).returns.resolves.toMatchObjectType<{ messageId: UserMessageId }>()
expectTypeOf<Awaited<ReturnType<Client['getSession']>>['session']['status']>().toEqualTypeOf<SessionStatus>()
expectTypeOf(client.follow(sessionId)).toEqualTypeOf<AsyncGenerator<StreamedEvent>>()
expectTypeOf<Parameters<Client['decideApproval']>[0]>().toEqualTypeOf<string>()

// Arguments are the ids of the path as plain strings, then the body or the query, then options.
expectTypeOf(client.editMessage).parameters.toEqualTypeOf<
  [string, string, { content: string }, options?: ChangeOptions]
>()
expectTypeOf(client.getSession).parameters.toEqualTypeOf<[string, options?: { readonly signal?: AbortSignal }]>()
// Its reply contains a token, so it takes no idempotency key.
expectTypeOf<Parameters<Client['createKey']>[1]>().toEqualTypeOf<{ readonly signal?: AbortSignal } | undefined>()
// An input may be left out if none of its fields is required.
expectTypeOf(client.listSessions).toBeCallableWith()
expectTypeOf(client.fork).toBeCallableWith('ses_1')
expectTypeOf(client.createSession).parameter(0).not.toExtend<undefined>()

// Mistakes in a body are compile errors.
expectTypeOf<{ agent: string; mesage: string }>().not.toEqualTypeOf<Parameters<Client['createSession']>[0]>()
expectTypeOf<{ decision: 'maybe' }>().not.toExtend<Parameters<Client['decideApproval']>[1]>()

if (event.type === 'ApprovalRequested') {
  expectTypeOf(event).toEqualTypeOf<EventOfType<'ApprovalRequested'>>()
  expectTypeOf(event.data.approvalId).toEqualTypeOf<ApprovalId>()
}
