import { describe, expect, it } from 'vitest'
import { metric } from './agent-tests.fixture.ts'
import { measureText } from './measure-text.ts'

const answered = (response: string, structuredOutput: unknown = null) => ({ response, structuredOutput })

describe('the equality metric', () => {
  it.each<[[string, string], object, number]>([
    [['Paris', 'Paris'], {}, 1],
    [['paris', 'Paris'], {}, 0],
    [['paris', 'Paris'], { isCaseInsensitive: true }, 1],
    [['STRASSE', 'straße'], { isCaseInsensitive: true }, 1],
    [[' Paris\n', 'Paris'], {}, 0],
    [[' the  city\nof Paris ', 'the city of Paris'], { stripsWhitespace: true }, 1],
    [['Paris.', 'Paris'], {}, 0],
    [['«Paris», $5!', 'Paris 5'], { stripsPunctuation: true }, 1],
    [['a - b', 'a b'], { stripsPunctuation: true, stripsWhitespace: true }, 1],
    [['Paris is it', 'Paris'], {}, 0],
  ])('scores answer and ground truth %j with %j as %d', ([response, groundTruth], options, score) => {
    const result = measureText(metric({ type: 'equality', ...options }), answered(response), groundTruth)
    expect(result).toMatchObject({ name: 'equality', score, passed: score === 1, isBroken: false })
  })

  it('reports the actual and the expected text', () => {
    const result = measureText(metric({ type: 'equality' }), answered('London'), 'Paris')
    expect(result.reason).toBe('the answer is "London", expected "Paris"')
  })
})

describe('the contains metric', () => {
  it.each<[[string, string], object, number]>([
    [['It is Paris, of course.', 'Paris'], {}, 1],
    [['It is paris.', 'Paris'], {}, 0],
    [['It is paris.', 'Paris'], { isCaseInsensitive: true }, 1],
    [['30\n days', '30 days'], { stripsWhitespace: true }, 1],
    [['It is London.', 'Paris'], {}, 0],
  ])('scores answer and ground truth %j with %j as %d', ([response, groundTruth], options, score) => {
    const result = measureText(metric({ type: 'contains', ...options }), answered(response), groundTruth)
    expect(result).toMatchObject({ name: 'contains', score, passed: score === 1 })
  })

  it('passes a score of 0 only if the threshold allows it', () => {
    expect(measureText(metric({ threshold: 0 }), answered('no'), 'yes')).toMatchObject({ score: 0, passed: true })
    expect(measureText(metric({ threshold: 0.5 }), answered('no'), 'yes')).toMatchObject({ score: 0, passed: false })
  })
})

describe('structured output', () => {
  it('is compared as JSON', () => {
    expect(measureText(metric(), answered('ignored', { total: 5 }), '"total":5').passed).toBe(true)
  })

  it.each([
    ['total', '5'],
    ['lines[1].name', 'tea'],
    ['lines[0]', '{"name":"milk"}'],
  ])('is read at the response_path %s', (responsePath, groundTruth) => {
    const order = { total: 5, lines: [{ name: 'milk' }, { name: 'tea' }] }
    const pathMetric = metric({ type: 'equality', responsePath })
    expect(measureText(pathMetric, answered('', order), groundTruth)).toMatchObject({ score: 1, passed: true })
    expect(measureText(pathMetric, answered(JSON.stringify(order)), groundTruth)).toMatchObject({
      score: 1,
      passed: true,
    })
  })

  it.each([
    ['no JSON at all', 'total', 'response_path "total": the answer is not JSON'],
    ['{"sum":5}', 'total', 'response_path "total": the answer has no value at this path'],
    ['{"total":5}', 'total[0]', 'response_path "total[0]": the answer has no value at this path'],
    ['{"total":5}', 'constructor', 'response_path "constructor": the answer has no value at this path'],
  ])('%s cannot be measured at %s, which differs from a score of 0', (response, responsePath, reason) => {
    const result = measureText(metric({ type: 'equality', responsePath }), answered(response), '5')
    expect(result).toMatchObject({ score: null, passed: false, isBroken: true, reason })
  })
})
