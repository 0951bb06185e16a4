import { problemOf, QuarterdeckError } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { explainedRefusal, refusalOf } from './refusal.ts'

it('copies the facts of the problem to the error, without the fields that every problem has', () => {
  const facts = { snapshot: '/v1/sessions/ses_1' }
  const refused = refusalOf(412, problemOf(new QuarterdeckError('cursor.beyond-log', 'too far', { facts }), '/v1/x'))
  expect(refused).toMatchObject({ code: 'cursor.beyond-log', message: 'too far' })
  expect(refused.facts).toEqual(facts)
})

it('keeps a code that only newer servers know in the fact `foreignCode`', () => {
  const problem = { type: 'x', title: 'Newer', status: 409, code: 'session.asleep', detail: 'wake it', until: 'noon' }
  const refused = refusalOf(409, problem)
  expect(refused).toMatchObject({ code: 'request.invalid', message: 'wake it' })
  expect(refused.facts).toEqual({ until: 'noon', foreignCode: 'session.asleep' })
})

it('returns no explained refusal for a response without a problem', () => {
  expect(explainedRefusal(404, { error: 'not here' })).toBeNull()
  expect(refusalOf(404, '<html>')).toMatchObject({ code: 'request.invalid', message: expect.stringMatching(/404/) })
})
