import { describe, expect, it } from 'vitest'
import { configError, formatProblem } from './problem.ts'

describe('ConfigProblem', () => {
  const problem = {
    severity: 'error',
    code: 'config.invalid',
    message: 'wrong',
    file: '/p/a/agent.yaml',
    line: 4,
    column: 3,
    path: 'x',
  } as const

  it('is formatted with a path relative to the working directory', () => {
    expect(formatProblem(problem, '/p')).toBe('a/agent.yaml:4:3 error: wrong')
    expect(formatProblem({ ...problem, suggestion: 'y' }, '/q')).toBe(
      '/p/a/agent.yaml:4:3 error: wrong. Did you mean "y"?',
    )
  })

  it('becomes an error with a specific code only when all errors share that code', () => {
    const unsupported = { ...problem, code: 'config.unsupported' } as const
    const warning = { ...problem, severity: 'warning' } as const
    expect(configError([unsupported, warning, unsupported], '/p').code).toBe('config.unsupported')
    expect(configError([unsupported, problem], '/p').code).toBe('config.invalid')
    expect(configError([unsupported, warning], '/p').facts).toEqual({ problems: [unsupported] })
  })
})
