import { describe, expect, it } from 'vitest'
import { errorCodes, errorKind, isQuarterdeckError, Problem, problemOf, QuarterdeckError } from './quarterdeck-error.ts'

describe('the error table', () => {
  it.each(errorCodes)('has a status, an exit code and a title for %s', (code) => {
    const { status, exitCode, title } = errorKind(code)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(600)
    expect([1, 2, 3]).toContain(exitCode)
    expect(title).toMatch(/^[A-Z].*[^.]$/)
  })

  it('gives invalid input exit code 2 and failures behind the agent 3', () => {
    expect(errorKind('config.invalid').exitCode).toBe(2)
    expect(errorKind('backend.init').exitCode).toBe(3)
    expect(errorKind('backend.budget').exitCode).toBe(1)
  })
})

describe('QuarterdeckError', () => {
  it('carries its code, facts and cause', () => {
    const cause = new Error('below')
    const error = new QuarterdeckError('session.not-found', 'no session ses_x', {
      facts: { sessionId: 'ses_x' },
      cause,
    })
    expect(error).toMatchObject({
      name: 'QuarterdeckError',
      code: 'session.not-found',
      facts: { sessionId: 'ses_x' },
      cause,
    })
    expect(isQuarterdeckError(error)).toBe(true)
    expect(isQuarterdeckError(error, 'session.not-found')).toBe(true)
    expect(isQuarterdeckError(error, 'session.closed')).toBe(false)
    expect(isQuarterdeckError(cause)).toBe(false)
  })
})

describe('problemOf', () => {
  it('returns a problem document with the facts beside it', () => {
    const error = new QuarterdeckError('approval.already-decided', 'ada allowed it', { facts: { by: 'ada' } })
    const problem = problemOf(error, '/v1/approvals/apr_x')
    expect(Problem.parse(problem)).toEqual({
      type: 'https://quarterdeck.dev/errors/approval.already-decided',
      title: 'This approval was already decided',
      status: 409,
      code: 'approval.already-decided',
      detail: 'ada allowed it',
      instance: '/v1/approvals/apr_x',
      by: 'ada',
    })
  })

  it('lets no fact overwrite a field of the problem', () => {
    const facts = { status: 200, code: 'x', detail: 'x', type: 'x', title: 'x' }
    // @ts-expect-error: these names are refused
    expect(problemOf(new QuarterdeckError('internal', 'broken', { facts }))).toMatchObject({
      status: 500,
      code: 'internal',
      detail: 'broken',
    })
  })

  it('rejects an unknown code', () => {
    expect(Problem.safeParse({ type: 'x', title: 'x', status: 400, code: 'made.up', detail: 'x' }).success).toBe(false)
  })
})
