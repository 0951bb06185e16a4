// JavaScript of a model in the real frame with the real headers: it computes, and reaches nothing outside.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Harness, type HarnessPage, openHarness } from './support/analysis-harness.ts'
import { bombs, escapes, probes } from './support/code-frame-probes.ts'

interface Outcome {
  readonly rows?: readonly object[]
  readonly problem?: string
  readonly message?: string
  readonly line?: number | null
}

let harness: Harness<'codeFrame'>
beforeAll(async () => {
  harness = await openHarness('codeFrame')
})
afterAll(() => harness?.close())

const cities = [
  { city: 'Oslo', amount: 120 },
  { city: 'Bergen', amount: 80 },
  { city: 'Oslo', amount: null },
]

/** Runs each piece of code in turn in one code frame. */
async function outcomesOf(codes: readonly string[], timeMs = 5_000, page: HarnessPage<'codeFrame'> = harness) {
  return page.run(
    async ({ modules, codes, timeMs, cities }) => {
      const codeFrame = modules.codeFrame.createCodeFrame({ limits: { timeMs } })
      const data = {
        columns: [
          { name: 'city', type: 'VARCHAR' },
          { name: 'amount', type: 'DOUBLE' },
        ],
        rows: cities.map(({ city, amount }) => [city, amount]),
      }
      const outcomes: Outcome[] = []
      for (const code of codes) {
        try {
          const { columns, rows } = await codeFrame.run({ code, data, allSteps: new Map([[1, data]]) })
          const shown = (cell: unknown) => (typeof cell === 'bigint' ? `${cell}n` : cell)
          const records = rows.map((row) => Object.fromEntries(columns.map(({ name }, at) => [name, shown(row[at])])))
          outcomes.push({ rows: records })
        } catch (error) {
          const { problem, message, line } = error as Required<Outcome>
          outcomes.push({ problem, message, line })
        }
      }
      codeFrame.close()
      return outcomes
    },
    { codes, timeMs, cities },
  )
}

const outcomeOf = async (code: string, timeMs?: number): Promise<Outcome> => {
  const [outcome] = await outcomesOf([code], timeMs)
  return outcome ?? {}
}

describe('code of a model', () => {
  it.each([
    ['a body', 'const big = data.filter((row) => row.amount > 100); return big', [{ city: 'Oslo', amount: 120 }]],
    ['an expression', 'data.map(({ city }) => ({ city })).slice(0, 1);', [{ city: 'Oslo' }]],
    ['a function', 'function change(rows) { return rows.slice(1, 2) }', [{ city: 'Bergen', amount: 80 }]],
    ['a promise', 'const n = await Promise.resolve(2); return [{ n }]', [{ n: 2 }]],
    ['earlier steps', 'return [{ n: allSteps[1].length, same: allSteps[1] === data }]', [{ n: 3, same: true }]],
    [
      'a set',
      'return [...new Set(data.map((row) => row.city))].map((city) => ({ city }))',
      [{ city: 'Oslo' }, { city: 'Bergen' }],
    ],
    [
      'Number and String',
      "return [{ n: Number('4') + 1, s: String(5), a: new Array(3).length }]",
      [{ n: 5, s: '5', a: 3 }],
    ],
    ['an empty result', 'return data.filter(() => false)', []],
    [
      'differing keys',
      'return [{ a: 1 }, { b: 2 }, {}]',
      [
        { a: 1, b: null },
        { a: null, b: 2 },
        { a: null, b: null },
      ],
    ],
    [
      'dates and large numbers',
      'return [{ at: new Date(0), n: 2n ** 60n, none: undefined }]',
      [{ at: '1970-01-01T00:00:00', n: '1152921504606846976n', none: null }],
    ],
    ['strings that are code', "return [{ n: eval('1 + 1'), m: new Function('return 3')() }]", [{ n: 2, m: 3 }]],
    ['console', "console.log('x'); return [{ n: 1 }] // done", [{ n: 1 }]],
  ])('may be or use %s', async (_what, code, rows) => {
    expect(await outcomeOf(code)).toEqual({ rows })
  })

  it.each([
    [
      'throws',
      'const a = 1\nconst b = null\nreturn b.length',
      { problem: 'threw', line: 3, message: /^TypeError: .*line 3 of the code/ },
    ],
    ['throws in an expression', '\ndata.map((row) => row.a.b)', { problem: 'threw', line: 2, message: /TypeError/ }],
    ['is not JavaScript', 'return [', { problem: 'threw', line: null, message: /^SyntaxError/ }],
    ['throws something else', "throw 'words'", { problem: 'threw', line: null, message: /^thrown: words$/ }],
    ['returns nothing', 'const a = 1', { problem: 'invalid', line: null, message: /returned nothing/ }],
    ['returns one object', 'return { a: 1 }', { problem: 'invalid', line: null, message: /an object/ }],
    ['returns a list of lists', 'return [[1]]', { problem: 'invalid', line: null, message: /row 0 is a list/ }],
    ['has an object in a cell', 'return [{ a: { b: 1 } }]', { problem: 'invalid', line: null, message: /column "a"/ }],
    [
      'returns too many rows',
      'return Array.from({ length: 10001 }, (_, n) => ({ n }))',
      { problem: 'too-large', line: null, message: /10001/ },
    ],
    [
      'returns too much',
      "return [{ a: 'x'.repeat(5_000_001) }]",
      { problem: 'too-large', line: null, message: /5000000/ },
    ],
    ['is too long', `return []${' '.repeat(20_000)}`, { problem: 'too-large', line: null, message: /20000/ }],
  ])('that %s gets an error message', async (_what, code, { problem, line, message }) => {
    const outcome = await outcomeOf(code)
    expect(outcome).toMatchObject({ problem, message: expect.stringMatching(message) })
    if (line !== null) expect(outcome.line).toBe(line)
    // The message contains nothing of the page.
    expect(outcome.message).not.toMatch(/blob:|http|eval at|127\.0\.0\.1/)
  })

  it('receives a hundred thousand rows at most', async () => {
    const seen = await harness.run(async ({ modules }) => {
      const codeFrame = modules.codeFrame.createCodeFrame()
      const rowsOf = (count: number) => ({
        columns: Array.from({ length: 10 }, (_, at) => ({ name: `c${at}`, type: 'DOUBLE' })),
        rows: Array.from({ length: count }, (_, row) => Array.from({ length: 10 }, (_, at) => row * at)),
      })
      const code = 'return [{ n: data.length, sum: data.reduce((sum, row) => sum + row.c1, 0) }]'
      const { rows } = await codeFrame.run({ code, data: rowsOf(100_000), allSteps: new Map() })
      const refused = await codeFrame.run({ code, data: rowsOf(100_001), allSteps: new Map() }).catch(String)
      codeFrame.close()
      return { rows, refused }
    })
    expect(seen).toEqual({ rows: [[100_000, 4_999_950_000]], refused: expect.stringContaining('100001 rows') })
  })
})

describe('hostile code of a model', () => {
  const target = () => harness.forbidden.url.replace('http://', '')
  const withTarget = (code: string) => code.replaceAll('TARGET', target())

  it('makes no request, in any known way', async () => {
    const before = harness.forbidden.hits()
    const all = { ...probes, ...escapes }
    const outcomes = await outcomesOf(Object.values(all).map(withTarget))
    expect(harness.forbidden.hits() - before).toBe(0)
    const byName = new Map(Object.keys(all).map((name, at) => [name, outcomes[at]]))
    // Each probe ran to its end or failed by itself: none was cut off.
    for (const [name, outcome] of byName) expect([name, outcome?.problem ?? 'ran']).not.toEqual([name, 'timeout'])
    expect(byName.get('looks for objects of the page')?.rows).toEqual([{ found: '' }])
    expect(byName.get('looks for storage')?.rows).toEqual([{ found: '' }])
  })

  it('would make requests elsewhere: the same code in a plain worker does', async () => {
    const bare = await harness.openBare()
    const before = harness.forbidden.hits()
    await bare.run(
      async ({ codes }) => {
        for (const code of codes) {
          const source = `(async () => { try { await (async () => { ${code} })() } catch {} postMessage(1) })()`
          const worker = new Worker(URL.createObjectURL(new Blob([source])))
          await new Promise((resolve) => {
            worker.onmessage = resolve
          })
          worker.terminate()
        }
      },
      { codes: Object.values(probes).map(withTarget) },
    )
    expect(harness.forbidden.hits() - before).toBeGreaterThanOrEqual(6)
    await bare.close()
  })

  it('leaves no state for the next call', async () => {
    const outcomes = await outcomesOf([
      "Array.prototype.map = () => [{ a: 'mine' }]; Object.prototype.x = 1; JSON.stringify = () => 'mine'; return [{ a: 1 }]",
      'globalThis.left = 1; return []',
      'return data.map((row) => ({ x: row.x, left: globalThis.left })).slice(0, 1)',
    ])
    expect(outcomes.at(-1)).toEqual({ rows: [{ x: null, left: null }] })
  })

  it('cannot return an answer that is not a table', async () => {
    const forged = await outcomesOf([
      'JSON.stringify = () => \'{"names":["a"],"rows":[[{"b":1}]]}\'; return [{ a: 1 }]',
      'Array.isArray = () => true; return { length: 1, 0: { a: { b: 1 } } }',
      'const [post] = [globalThis.postMessage]; return [{ type: typeof post }]',
    ])
    expect(forged[0]?.problem).toBeUndefined()
    expect(forged[1]?.problem).toBe('invalid')
    expect(forged[2]).toEqual({ rows: [{ type: 'undefined' }] })
  })

  it.each(Object.entries(bombs))(
    'is ended at its limit when it %s, and does not block the page',
    async (_what, code) => {
      const seen = await harness.run(
        async ({ modules, code }) => {
          const timeMs = 600
          const codeFrame = modules.codeFrame.createCodeFrame({ limits: { timeMs } })
          const none = { columns: [], rows: [] }
          await codeFrame.run({ code: '[]', data: none, allSteps: new Map() }).catch(() => null)
          let [last, longest, beats] = [performance.now(), 0, 0]
          const beat = setInterval(() => {
            const now = performance.now()
            longest = Math.max(longest, now - last)
            last = now
            beats += 1
          }, 10)
          const started = performance.now()
          const ended = await codeFrame
            .run({ code, data: none, allSteps: new Map() })
            .catch(({ problem }) => String(problem))
          const took = performance.now() - started
          clearInterval(beat)
          const frames = document.querySelectorAll('iframe').length
          const next = () => codeFrame.run({ code: '[{ n: 7 }]', data: none, allSteps: new Map() }).catch(() => null)
          // Its limit is short, and the machine may still be cleaning up.
          let after = await next()
          for (let tries = 0; after === null && tries < 50; tries += 1) after = await next()
          codeFrame.close()
          return {
            ended,
            took,
            longest,
            beats,
            frames,
            next: after?.rows,
            left: document.querySelectorAll('iframe').length,
          }
        },
        { code },
      )
      expect(['timeout', 'threw']).toContain(seen.ended)
      expect(seen.next).toEqual([[7]])
      expect(seen.left).toBe(0)
      if (seen.ended !== 'timeout') return
      expect(seen.frames).toBe(0)
      // A blocked page would have waited for the whole run.
      expect(seen.longest).toBeLessThan(seen.took * 0.9)
      expect(seen.beats).toBeGreaterThan(3)
    },
  )

  it('is ended at once when the user cancels', async () => {
    const seen = await harness.run(async ({ modules }) => {
      const codeFrame = modules.codeFrame.createCodeFrame({ limits: { timeMs: 60_000 } })
      const stop = new AbortController()
      const none = { columns: [], rows: [] }
      const running = codeFrame.run({ code: 'for (;;);', data: none, allSteps: new Map(), signal: stop.signal })
      const waiting = codeFrame.run({ code: '[{ n: 1 }]', data: none, allSteps: new Map() })
      setTimeout(() => stop.abort(), 200)
      const ended = await running.catch(({ problem }) => String(problem))
      const { rows } = await waiting
      codeFrame.close()
      return { ended, rows }
    })
    expect(seen).toEqual({ ended: 'cancelled', rows: [[1]] })
  })

  it('does not run the document of the code frame without its frame or from another page', async () => {
    const page = await harness.page.context().newPage()
    const response = await page.goto(`${harness.url}/sandbox.html`)
    expect(response?.status()).toBe(200)
    expect(await page.evaluate(() => [self.origin, document.body.innerText])).toEqual(['null', ''])
    await page.close()
  })
})
