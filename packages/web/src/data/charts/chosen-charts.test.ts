import { expect, it } from 'vitest'
import { answerOf, choiceOf, rowsOf, weekly } from './chart-rows.fixture.ts'
import { chartChoices, chosenCharts } from './chosen-charts.ts'

const totals = rowsOf({ region: 'VARCHAR', total: 'BIGINT' }, ['North', 3], ['South', 4])

it('finds the step by its number (12, not 2), and ignores a failed last step', () => {
  const steps = new Map([2, 12].map((n) => [n, totals]))
  expect(chartChoices(answerOf({ sourceStep: 12, xAxis: 'region', yAxis: 'total' }), steps)).toEqual([
    choiceOf({ sourceStep: 12, type: 'bar', x: 'region', y: ['total'] }),
  ])
  expect(chartChoices(answerOf({}), steps)[0]?.sourceStep).toBe(12)
  expect(chartChoices(answerOf({}), new Map([[2, totals]]))[0]?.sourceStep).toBe(2)
})

it('fills in x, y and series from the rows when the model left them out', () => {
  const [choice] = chartChoices(answerOf({ chartType: 'line' }), new Map([[1, weekly]]))
  expect(choice).toMatchObject({ x: 'week', y: ['late_share'], series: 'region', aggregate: 'none' })
})

it('sums rows with the same x, and averages shares', () => {
  const twice = (y: string) => rowsOf({ region: 'VARCHAR', [y]: 'DOUBLE' }, ['North', 1], ['North', 2])
  expect(chartChoices(answerOf({}), new Map([[1, twice('amount')]]))[0]?.aggregate).toBe('sum')
  expect(chartChoices(answerOf({}), new Map([[1, twice('late_share')]]))[0]?.aggregate).toBe('mean')
})

it('adds further charts with several y after the first, and lists a repeated chart once under its title', () => {
  const wide = rowsOf({ Month: 'VARCHAR', july: 'DOUBLE', sept: 'DOUBLE' }, ['a', 1, 2])
  const choices = chartChoices(
    answerOf({
      chartType: 'bar',
      sourceStep: 1,
      xAxis: 'month',
      yAxis: 'july, sept',
      charts: [
        { sourceStep: 1, type: 'bar', x: 'Month', y: ['july', 'sept'], title: 'First and last month' },
        { sourceStep: 1, type: 'line', x: 'Month', y: 'sept' },
      ],
    }),
    new Map([[1, wide]]),
  )
  expect(choices.map(({ type, x, y, title }) => ({ type, x, y, title }))).toEqual([
    { type: 'bar', x: 'Month', y: ['july', 'sept'], title: 'First and last month' },
    { type: 'line', x: 'Month', y: ['sept'], title: null },
  ])
})

it('keeps a name that matches no column, so that the chart can report it', () => {
  expect(chartChoices(answerOf({ xAxis: 'carier', yAxis: 'total' }), new Map([[1, totals]]))[0]?.x).toBe('carier')
})

it("shows the user's version of a chart instead of the original", () => {
  const answer = answerOf({ charts: [{ sourceStep: 1, type: 'pie', x: 'region', y: 'total' }] })
  const mine = choiceOf({ type: 'line', x: 'region', y: ['total'] })
  const charts: (typeof mine)[] = []
  charts[1] = mine
  const chosen = chosenCharts({ answer, charts, steps: [] }, new Map([[1, totals]]))
  expect(chosen.map(({ type }) => type)).toEqual(['bar', 'line'])
  expect(chosenCharts({ answer: null, charts, steps: [] }, new Map())).toEqual([])
})

it('shows no chart of an earlier question for an answer that neither ran nor names a step', () => {
  const rows = new Map([[1, totals]])
  expect(chosenCharts({ answer: answerOf({ chartType: 'table' }), charts: [], steps: [] }, rows)).toEqual([])
  const named = answerOf({ chartType: 'table', sourceStep: 1 })
  expect(chosenCharts({ answer: named, charts: [], steps: [] }, rows)).toHaveLength(1)
})
