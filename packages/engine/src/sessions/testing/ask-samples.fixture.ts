// One ask of each kind: a step of the scripted backend that asks, and the answer to it.
import {
  type Ask,
  openAsks,
  parseAnswers,
  parseApprovedCalls,
  parseResults,
  type SessionId,
} from '@quarterdeck/protocol'
import type { Script, Step } from '../../backends/scripted/script.ts'
import { ls, stateOf, type TestRuntime } from './lifecycle.fixture.ts'

const item = { question: 'Which?', header: 'W', options: [{ label: 'red', description: '' }], multiSelect: false }
const asks: Step = { type: 'tool', name: 'AskUserQuestion', input: { questions: [item] }, result: '' }
const time: Step = { type: 'tool', name: 'mcp__client__time', input: { zone: 'utc' }, result: '' }

/** Runs the tool of the client call. */
export const client = { clientId: 'tab', tools: [{ name: 'time', description: 't', inputSchema: { type: 'object' } }] }

/** `output`: the result of the asking call after the answer. */
export const askSamples = {
  approval: { kind: 'approval', step: ls, status: 'waiting_approval', output: 'notes.txt' },
  question: { kind: 'question', step: asks, status: 'waiting_user', output: '{"Which?":"red"}' },
  'client-call': { kind: 'client-call', step: time, status: 'waiting_client', output: 'noon' },
} as const satisfies Record<Ask['kind'], object>
export type AskSample = (typeof askSamples)[Ask['kind']]

export function answerAsk({ sessions }: TestRuntime, { kind, id }: Ask, by = 'ben'): Promise<unknown> {
  switch (kind) {
    case 'approval':
      return sessions.decideApproval(id, { decision: 'allow' }, by)
    case 'question':
      return sessions.answerQuestion(id, { answers: { 'Which?': 'red' } }, by)
    case 'client-call':
      return sessions.returnClientCall(id, { output: 'noon' }, by)
  }
}

export async function answerAll(runtime: TestRuntime, sessionId: SessionId): Promise<void> {
  for (const ask of openAsks(await stateOf(runtime, sessionId))) await answerAsk(runtime, ask)
}

const isReported = (input: string): boolean =>
  [parseApprovedCalls(input), parseAnswers(input), parseResults(input)].some((reported) => reported.length > 0)

/** The agent asks. When it wakes with the answer, it asks the same again. */
export const asking =
  ({ step }: AskSample): Script =>
  (input) =>
    input === 'go' || isReported(input) ? [step] : []
