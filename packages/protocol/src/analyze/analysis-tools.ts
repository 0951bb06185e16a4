// The tools of an analysis. Those of the original design keep its names, descriptions, properties and `required` lists.
// Additions are optional properties or separate tools.
import type { ClientTool } from '../events/people.ts'
import { chartTypes } from './analysis-result.ts'

/** The server runs this tool itself: it is never sent to a client. */
export const finalAnswerTool = 'final_answer'

const text = { type: 'string' } as const
const described = (description: string) => ({ ...text, description })
const number = (description: string) => ({ type: 'number', description })
const object = (properties: Readonly<Record<string, object>>, required: readonly string[]) => ({
  type: 'object',
  properties,
  required: [...required],
})

const runQuery: ClientTool = {
  name: 'run_query',
  description: 'Execute a SQL query on DuckDB. Use exact column names from schema.',
  inputSchema: object({ thought: described('Why you need this query'), sql: described('The SQL query to execute') }, [
    'thought',
    'sql',
  ]),
}

const getColumnStats: ClientTool = {
  name: 'get_column_stats',
  description: 'Get min/max/avg/distinct count for a column.',
  inputSchema: object({ thought: text, column: text, table: described('Table name if multiple tables') }, [
    'thought',
    'column',
  ]),
}

const getValueDistribution: ClientTool = {
  name: 'get_value_distribution',
  description: 'Get top N most frequent values in a column.',
  inputSchema: object({ thought: text, column: text, table: text, limit: number('Number of values (default 10)') }, [
    'thought',
    'column',
  ]),
}

const transformData: ClientTool = {
  name: 'transform_data',
  description: 'Run JavaScript on query results. Return flat array of objects.',
  inputSchema: object(
    {
      thought: text,
      code: described("JS code, receives 'data' and 'allSteps'"),
      sourceStep: number("Step index to use as 'data'"),
    },
    ['thought', 'code', 'sourceStep'],
  ),
}

const listTables: ClientTool = {
  name: 'list_tables',
  description: 'List the tables that are there now, with their columns, types and row counts, earlier steps included.',
  inputSchema: object({ thought: text }, []),
}

const sampleRows: ClientTool = {
  name: 'sample_rows',
  description: 'See a few rows of a table, if the person allows that rows are shown.',
  inputSchema: object({ thought: text, table: text, limit: number('Number of rows (default 5)') }, ['table']),
}

const askUser: ClientTool = {
  name: 'ask_user',
  description: 'Ask the person one short question when the task can be read in ways that lead to different answers.',
  inputSchema: object(
    { question: text, options: { type: 'array', items: text, description: 'Answers to choose from, at most six' } },
    ['question'],
  ),
}

const chart = object(
  {
    sourceStep: number('The step whose rows are drawn'),
    type: { type: 'string', enum: [...chartTypes] },
    x: text,
    y: { type: 'array', items: text },
    series: text,
    title: text,
  },
  ['sourceStep', 'type'],
)

const claim = object(
  {
    text: described('The words of the answer that hold the number'),
    stepId: number('The step that proves it'),
    column: text,
    row: number('The row of that step, from 0'),
    value: { description: 'The value of that cell' },
  },
  ['text', 'stepId'],
)

const finalAnswer: ClientTool = {
  name: finalAnswerTool,
  description: 'Present your analysis. Call when you have enough data.',
  inputSchema: object(
    {
      answer: described('Natural language answer with numbers'),
      chartType: { type: 'string', enum: [...chartTypes] },
      xAxis: text,
      yAxis: text,
      sourceStep: number('The step whose rows are the result'),
      charts: { type: 'array', items: chart, description: 'More charts than the first one' },
      claims: { type: 'array', items: claim, description: 'Where each number of the answer comes from' },
      caveats: { type: 'array', items: text, description: 'What the person should know about the data' },
      followUps: { type: 'array', items: text, description: 'Questions worth asking next, at most three' },
    },
    ['answer', 'chartType'],
  ),
  endsTurn: true,
}

/** The tools that run in the browser. */
export const browserTools: readonly ClientTool[] = [
  ...[runQuery, getColumnStats, getValueDistribution, transformData],
  ...[listTables, sampleRows, askUser],
]

export const analysisTools: readonly ClientTool[] = [...browserTools, finalAnswer]
