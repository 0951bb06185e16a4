import { expect, it } from 'vitest'
import { z } from 'zod'
import { ClientTool } from '../events/people.ts'
import { FinalAnswer } from './analysis-result.ts'
import { analysisTools, browserTools, finalAnswerTool } from './analysis-tools.ts'

/** Copied literally from the original design. */
const seed = [
  {
    name: 'run_query',
    description: 'Execute a SQL query on DuckDB. Use exact column names from schema.',
    input_schema: {
      type: 'object',
      properties: {
        thought: { type: 'string', description: 'Why you need this query' },
        sql: { type: 'string', description: 'The SQL query to execute' },
      },
      required: ['thought', 'sql'],
    },
  },
  {
    name: 'get_column_stats',
    description: 'Get min/max/avg/distinct count for a column.',
    input_schema: {
      type: 'object',
      properties: {
        thought: { type: 'string' },
        column: { type: 'string' },
        table: { type: 'string', description: 'Table name if multiple tables' },
      },
      required: ['thought', 'column'],
    },
  },
  {
    name: 'get_value_distribution',
    description: 'Get top N most frequent values in a column.',
    input_schema: {
      type: 'object',
      properties: {
        thought: { type: 'string' },
        column: { type: 'string' },
        table: { type: 'string' },
        limit: { type: 'number', description: 'Number of values (default 10)' },
      },
      required: ['thought', 'column'],
    },
  },
  {
    name: 'transform_data',
    description: 'Run JavaScript on query results. Return flat array of objects.',
    input_schema: {
      type: 'object',
      properties: {
        thought: { type: 'string' },
        code: { type: 'string', description: "JS code, receives 'data' and 'allSteps'" },
        sourceStep: { type: 'number', description: "Step index to use as 'data'" },
      },
      required: ['thought', 'code', 'sourceStep'],
    },
  },
  {
    name: 'final_answer',
    description: 'Present your analysis. Call when you have enough data.',
    input_schema: {
      type: 'object',
      properties: {
        answer: { type: 'string', description: 'Natural language answer with numbers' },
        chartType: { type: 'string', enum: ['bar', 'line', 'pie', 'scatter', 'table'] },
        xAxis: { type: 'string' },
        yAxis: { type: 'string' },
      },
      required: ['answer', 'chartType'],
    },
  },
]

const toolOf = (name: string) => {
  const tool = analysisTools.find((one) => one.name === name)
  if (tool === undefined) throw new Error(`there is no ${name}`)
  return tool
}

it.each(seed)(
  'keeps $name of the original unchanged, with no further required properties',
  ({ name, description, input_schema }) => {
    const { inputSchema, description: actual } = toolOf(name)
    expect(actual).toBe(description)
    expect(inputSchema).toMatchObject({ type: 'object', required: input_schema.required })
    expect(inputSchema.required).toEqual(input_schema.required)
    for (const [property, schema] of Object.entries(input_schema.properties)) {
      expect(inputSchema).toHaveProperty(['properties', property], schema)
    }
  },
)

it('adds three tools, and only final_answer ends a turn and does not run in the browser', () => {
  const known = seed.map(({ name }) => name)
  expect(analysisTools.map(({ name }) => name).filter((name) => !known.includes(name))).toEqual([
    ...['list_tables', 'sample_rows', 'ask_user'],
  ])
  expect(analysisTools.filter(({ endsTurn }) => endsTurn === true).map(({ name }) => name)).toEqual([finalAnswerTool])
  expect(browserTools).not.toContain(toolOf(finalAnswerTool))
  expect(z.array(ClientTool).safeParse(analysisTools).success).toBe(true)
})

it('accepts exactly the valid inputs of final_answer', () => {
  const answer = {
    answer: 'Twelve.',
    chartType: 'line',
    xAxis: 'day',
    charts: [{ sourceStep: 1, type: 'pie', y: ['n'] }],
  }
  expect(FinalAnswer.parse({ ...answer, thought: 'dropped' })).toEqual(answer)
  for (const bad of [
    {},
    { ...answer, chartType: 'radar' },
    { ...answer, answer: '' },
    { ...answer, caveats: 'none' },
  ]) {
    expect(FinalAnswer.safeParse(bad).success).toBe(false)
  }
  const { properties } = z.toJSONSchema(FinalAnswer)
  expect(Object.keys(properties ?? {}).sort()).toEqual(
    Object.keys(toolOf(finalAnswerTool).inputSchema.properties as object).sort(),
  )
})
