import type { ApprovalId, AskId, QuestionId } from '@quarterdeck/protocol'
import { expect, expectTypeOf, it } from 'vitest'
import type { OperationContext } from '../../runtime/operation-context.ts'
import { strategyOf } from './ask-strategies.ts'

// Literals that match the shape of the ids.
const [approvalId, questionId] = ['apr_000001' as ApprovalId, 'qst_000001' as QuestionId]
const declined = { answers: null, note: null }

it('finds the strategy by the id of the ask', () => {
  expect([approvalId, questionId, 'ctc_000001' as AskId].map((id) => strategyOf(id).noun)).toEqual([
    'approval',
    'question',
    'client call',
  ])
  expect(() => strategyOf('ses_000001' as AskId)).toThrow('not the id of an ask')
})

it('accepts only answers of the kind of the ask', () => {
  expect(strategyOf(questionId).reply(declined, 'ana').type).toBe('declined')
  expectTypeOf(strategyOf(approvalId).reply).parameter(0).not.toExtend<typeof declined>()
  const answerWrongly = ({ answer }: OperationContext) =>
    // @ts-expect-error an approval takes no answer to a question
    answer(approvalId, 'ana', () => declined)
  expectTypeOf(answerWrongly).toBeFunction()
})
