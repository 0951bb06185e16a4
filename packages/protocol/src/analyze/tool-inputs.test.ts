import { describe, expect, it } from 'vitest'
import { browserTools } from './analysis-tools.ts'
import { readToolInput, toolInputs } from './tool-inputs.ts'

describe('the input of a browser tool', () => {
  it('has a schema for each tool, with the same keys', () => {
    expect(Object.keys(toolInputs).sort()).toEqual(browserTools.map(({ name }) => name).sort())
    for (const { name, inputSchema } of browserTools) {
      const { properties } = inputSchema as { properties: object }
      const { shape } = toolInputs[name as keyof typeof toolInputs]
      expect(Object.keys(shape).sort(), name).toEqual(Object.keys(properties).sort())
    }
  })

  it.each([
    [3, 3],
    ['3', 3],
    ['step_3', 3],
    ['Step 3', 3],
  ])('reads step %j as %i', (sourceStep, n) => {
    expect(readToolInput('transform_data', { code: 'data', sourceStep })).toEqual({
      input: { thought: '', code: 'data', sourceStep: n },
    })
  })

  it.each([
    [undefined, 10],
    ['25', 25],
    [0, 10],
    [1e9, 100],
    ['many', 10],
    [null, 10],
  ])('reads limit %j as %i', (limit, n) => {
    const read = readToolInput('get_value_distribution', { column: 'a', limit, table: null })
    expect(read).toEqual({ input: { thought: '', column: 'a', limit: n } })
  })

  it('is refused with a sentence that names the problem', () => {
    expect(readToolInput('run_query', { thought: 'x', sql: '' })).toEqual({
      problem: 'The input of run_query is not right. sql: must not be empty.',
    })
    expect(readToolInput('transform_data', { code: 'data', sourceStep: 'last' })).toMatchObject({
      problem: expect.stringContaining('sourceStep: must be the number of a step'),
    })
    expect(readToolInput('run_query', null)).toHaveProperty('problem')
  })

  it('has at most six options for a question', () => {
    const read = readToolInput('ask_user', { question: 'Which?', options: [1, 'b', 'c', 'd', 'e', 'f', 'g'] })
    expect(read).toEqual({ input: { question: 'Which?', options: ['1', 'b', 'c', 'd', 'e', 'f'] } })
    expect(readToolInput('ask_user', { question: 'Which?' })).toEqual({ input: { question: 'Which?', options: [] } })
  })
})
