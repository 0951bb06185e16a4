// Charts and their files in a real browser with the real content security policy: no requests, no script.
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { ChartChoice } from '../../packages/web/src/data/domain/analysis.ts'
import type { Cell, Rows } from '../../packages/web/src/data/domain/cells.ts'
import type { ChartScreen } from '../../packages/web/src/data/ui/analysis/chart-screen.fixture.tsx'
import { seriousIssues } from '../support/browser/axe.ts'
import { type Harness, openHarness } from './support/analysis-harness.ts'
import { choiceOf, evil, rowsOf, runOf, weekly } from './support/chart-samples.ts'

/** Created on the page by its fixture. */
declare const chartScreen: ChartScreen

let harness: Harness<'drawing' | 'spec' | 'theme' | 'render' | 'screen'>

beforeAll(async () => {
  harness = await openHarness('drawing', 'spec', 'theme', 'render', 'screen')
})
afterEach(() => {
  expect(harness.trouble()).toEqual([])
  expect(harness.outside()).toEqual([])
})
afterAll(() => harness?.close())

const odd = ['a.b', "a[0]['x']", 'say "x"', 'Größe', '价格', '<b>']

it('draws every chart type under the policy, and shows any name and cell as text', async () => {
  const oddRows = rowsOf(
    {
      [odd[0] ?? '']: 'DOUBLE',
      [odd[1] ?? '']: 'VARCHAR',
      [odd[2] ?? '']: 'VARCHAR',
      [odd[3] ?? '']: 'DOUBLE',
      [odd[4] ?? '']: 'BIGINT',
    },
    ...evil.map((text, at) => [at + 0.5, text, `s${at % 2}`, at * 2, at]),
  )
  const drawings: readonly (readonly [ChartChoice, Rows])[] = [
    [choiceOf({ type: 'line', x: 'week', y: ['late_share'], series: 'region' }), weekly],
    [choiceOf({ type: 'bar', x: odd[1] ?? '', y: [odd[3] ?? '', odd[4] ?? ''] }), oddRows],
    [choiceOf({ type: 'pie', x: odd[1] ?? '', y: [odd[4] ?? ''], title: evil[1] ?? '' }), oddRows],
    [choiceOf({ type: 'scatter', x: odd[0] ?? '', y: [odd[3] ?? ''], series: odd[2] ?? '' }), oddRows],
    [choiceOf({ type: 'line', x: odd[1] ?? '', y: [odd[3] ?? ''] }), oddRows],
  ]
  const found = await harness.run(
    async ({ modules, drawings }) => {
      const results = []
      for (const [choice, rows] of drawings) {
        const box = document.createElement('div')
        document.body.append(box)
        const spec = modules.spec.specFor(modules.drawing.chartDrawing(choice, rows), {
          theme: modules.theme.readChartTheme(),
          width: 600,
        })
        const view = await modules.render.renderChart(box, spec)
        const text = await modules.render.toSvg(spec)
        const parsed = new DOMParser().parseFromString(text, 'image/svg+xml')
        results.push({
          type: choice.type,
          drawn: box.querySelectorAll('svg [class*="role-mark"] path').length,
          dangerous: [...box.querySelectorAll('script,img,a,image,foreignObject,iframe,use')].length,
          words: box.textContent ?? '',
          isSvg: parsed.querySelector('parsererror') === null && parsed.documentElement.nodeName === 'svg',
          dangerousInFile: parsed.querySelectorAll('script,img,a,image,foreignObject,iframe,use').length,
        })
        view.close()
        box.remove()
      }
      return results
    },
    { drawings },
  )
  for (const { type, drawn, dangerous, dangerousInFile, isSvg } of found) {
    expect.soft(drawn, type).toBeGreaterThan(0)
    expect.soft([dangerous, dangerousInFile, isSvg], type).toEqual([0, 0, true])
  }
  expect(found[0]?.words).toContain('North 17')
  expect(found[1]?.words).toContain('<script>alert(1)</script>')
  expect(found[1]?.words).toContain('Größe')
})

it('exports a picture with the colors of the chart and the chosen background', async () => {
  const made = await harness.run(
    async ({ modules, choice, rows }) => {
      const theme = { ...modules.theme.readChartTheme('dark'), surface: '#102030' }
      const spec = modules.spec.specFor(modules.drawing.chartDrawing(choice, rows), {
        theme,
        width: 500,
        title: 'A title',
      })
      const png = await modules.render.toPng(spec)
      const picture = await createImageBitmap(png)
      const canvas = new OffscreenCanvas(picture.width, picture.height)
      const context = canvas.getContext('2d')
      context?.drawImage(picture, 0, 0)
      const corner = [...(context?.getImageData(0, 0, 1, 1).data ?? [])]
      const all = context?.getImageData(0, 0, picture.width, picture.height).data ?? new Uint8ClampedArray()
      const colors = new Set<string>()
      for (let at = 0; at < all.length; at += 4) colors.add(`${all[at]},${all[at + 1]},${all[at + 2]}`)
      return {
        type: png.type,
        width: picture.width,
        height: picture.height,
        corner,
        colors: colors.size,
        accent: theme.accent,
      }
    },
    { choice: choiceOf({ x: 'week', y: ['late_share'], aggregate: 'sum' }), rows: weekly },
  )
  expect(made).toMatchObject({ type: 'image/png', width: 1000, corner: [16, 32, 48, 255] })
  expect(made.height).toBeGreaterThan(400)
  expect(made.colors).toBeGreaterThan(20)
  expect(made.accent).toMatch(/^#[0-9a-f]{6}$/)
})

it('charts the named step 12, not step 2, and shows its number', async () => {
  const of = (value: number) => rowsOf({ region: 'VARCHAR', total: 'BIGINT' }, ['North', value], ['South', 1])
  await harness.run(({ run, steps }) => chartScreen.showRun(run, steps), {
    run: runOf({ sourceStep: 12, xAxis: 'region', yAxis: 'total' }),
    steps: [
      [2, of(7)],
      [12, of(4242)],
    ] as const,
  })
  const { page } = harness
  await page.locator('.chart-picture[data-status="drawn"]').waitFor()
  expect(await page.locator('figcaption').innerText()).toMatch(/From step 12\s+2 of 2 rows drawn\s+Axis starts at 0/)
  expect(await page.getByRole('img', { name: /Bar chart\. North: 4,242/ }).count()).toBe(1)
  await page.getByRole('button', { name: 'Table' }).click()
  expect(await page.getByRole('grid').innerText()).toContain('4242')
  expect(await page.locator('.chart-picture').count()).toBe(0)
})

it('edits type, sums, order, top values and title without a model, and resets to the answer', async () => {
  const cities = rowsOf(
    { city: 'VARCHAR', kind: 'VARCHAR', n: 'BIGINT', 'm.x': 'DOUBLE' },
    ...Array.from({ length: 40 }, (_, at): Cell[] => [`city ${at % 20}`, at % 2 === 0 ? 'a' : 'b', at, at / 3]),
  )
  await harness.run(({ run, steps }) => chartScreen.showRun(run, steps), {
    run: runOf({ chartType: 'table', sourceStep: 1 }),
    steps: [[1, cities]] as const,
  })
  const { page } = harness
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Type').selectOption('Bars')
  await page.getByText('No numeric column to draw').waitFor()
  await page.getByLabel('Across').selectOption('city')
  await page.getByRole('checkbox', { name: 'm.x' }).check()
  await page.getByLabel('Values').selectOption('Sum')
  await page.getByLabel('Order').selectOption('Largest first')
  await page.getByLabel('At most').fill('4')
  await page.getByLabel('Title').fill('</h3><script>alert(1)</script>')
  await page.getByLabel('Title').press('Enter')
  await page.getByRole('heading', { name: '</h3><script>alert(1)</script>' }).waitFor()
  await page.locator('.chart-picture[data-status="drawn"]').waitFor()
  await expect.poll(() => page.locator('figcaption').innerText()).toContain('17 of 20 added up as others')
  await page.getByRole('button', { name: 'Table' }).click()
  expect(await page.locator('tbody tr').count()).toBe(4)
  expect(await seriousIssues(page)).toEqual([])
  await page.getByRole('button', { name: 'Reset to the answer' }).click()
  await page.getByRole('heading', { name: 'Rows of step 1' }).waitFor()
  expect(await page.getByLabel('Type').inputValue()).toBe('table')
})

it('saves files with safe names and the drawn content', async () => {
  const { page } = harness
  const save = async (name: string) => {
    await page.getByLabel('Save the chart').click()
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()])
    return { name: download.suggestedFilename(), text: await text(await download.createReadStream()) }
  }
  await harness.run(({ run, steps }) => chartScreen.showRun(run, steps), {
    run: runOf({
      charts: [{ sourceStep: 1, type: 'line', x: 'week', y: 'late_share', title: '../Late: <share>' }],
      chartType: 'line',
      sourceStep: 1,
    }),
    steps: [[1, weekly]] as const,
  })
  expect(await page.locator('figure').count()).toBe(1)
  expect((await save('Numbers (CSV)')).name).toBe('Late share.csv')
  const svg = await save('Drawing (SVG)')
  expect(svg.name).toBe('Late share.svg')
  expect(svg.text).toMatch(/^<svg [\s\S]*North 17[\s\S]*<\/svg>\s*$/)
  const spec = JSON.parse((await save('Vega-Lite spec (JSON)')).text)
  expect(spec.$schema).toContain('vega-lite/v6')
  expect(JSON.stringify(spec)).not.toMatch(/"url"|"signal"/)
  expect((await save('Image (PNG)')).text.slice(1, 4)).toBe('PNG')
})

it('redraws when the theme or the width changes', async () => {
  const { page } = harness
  const color = () => page.locator('.chart-picture svg').evaluate((svg) => getComputedStyle(svg).backgroundColor)
  await page.locator('.chart-picture[data-status="drawn"]').waitFor()
  const light = await color()
  await page.evaluate(() => document.documentElement.setAttribute('data-theme', 'dark'))
  await expect.poll(color).not.toBe(light)
  expect(await seriousIssues(page)).toEqual([])
  const wide = await page.locator('.chart-picture svg').getAttribute('width')
  await page.locator('main').evaluate((main) => {
    main.style.maxWidth = '420px'
  })
  await expect.poll(() => page.locator('.chart-picture svg').getAttribute('width')).not.toBe(wide)
  await page.evaluate(() => document.documentElement.removeAttribute('data-theme'))
})

it('labels the bars of months in both themes and at any width, and the axis ends with the last bar', async () => {
  const { page } = harness
  const months = rowsOf(
    { month: 'VARCHAR', umsatz: 'DOUBLE' },
    ...[27372.85, 36421.75, 29970.65, 29461.75].map((value, at): Cell[] => [`2026-0${at + 5}`, value]),
  )
  await harness.run(({ run, steps }) => chartScreen.showRun(run, steps), {
    run: runOf({ chartType: 'line', sourceStep: 1, xAxis: 'month', yAxis: 'umsatz' }),
    steps: [[1, months]] as const,
  })
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Type').selectOption('Bars')
  const drawn = () =>
    page.locator('.chart-picture svg').evaluate((svg) => {
      const boxes = (selector: string) =>
        [...svg.querySelectorAll(selector)].map((item) => {
          const { left, right } = item.getBoundingClientRect()
          return { left, right, text: item.textContent }
        })
      return {
        bars: boxes('.mark-rect.role-mark path'),
        figures: boxes('.mark-text.role-mark text'),
        labels: boxes('.role-axis-label text').map(({ text }) => text),
      }
    })
  for (const [theme, maxWidth] of [
    ['light', 760],
    ['dark', 760],
    ['dark', 390],
    ['light', 390],
  ] as const) {
    const label = `${theme} ${maxWidth}`
    await page.locator('.chart-picture svg').evaluate((svg) => svg.setAttribute('data-seen', ''))
    await page.evaluate((name) => document.documentElement.setAttribute('data-theme', name), theme)
    await page.locator('main').evaluate((main, width) => {
      main.style.maxWidth = `${width}px`
    }, maxWidth)
    const redrawn = page.locator('.chart-picture svg:not([data-seen])')
    await expect.poll(() => redrawn.evaluate((svg) => svg.clientWidth)).toBeLessThan(maxWidth)
    await expect.poll(async () => (await drawn()).bars.length).toBe(4)
    const { bars, figures, labels } = await drawn()
    expect
      .soft(
        figures.map(({ text }) => text),
        label,
      )
      .toEqual(['27,372.85', '36,421.75', '29,970.65', '29,461.75'])
    for (const [at, { left, right }] of figures.entries()) {
      const bar = bars[at] ?? { left: 0, right: 0 }
      expect.soft(Math.abs((left + right - bar.left - bar.right) / 2), `${label}, figure ${at}`).toBeLessThan(1.5)
      expect.soft(left, `${label}, figure ${at}`).toBeGreaterThan(figures[at - 1]?.right ?? 0)
    }
    expect.soft(labels, label).not.toContain('Sep 2026')
  }
  await page.evaluate(() => document.documentElement.removeAttribute('data-theme'))
})

it('shows a single figure, nulls only, no rows, and a step without rows', async () => {
  const one = rowsOf({ total: 'DOUBLE' }, [1234567.125])
  const nulls = rowsOf({ city: 'VARCHAR', n: 'DOUBLE' }, ['a', null], ['b', null])
  await harness.run(({ run, steps }) => chartScreen.showRun(run, steps), {
    run: runOf({
      chartType: 'bar',
      sourceStep: 1,
      charts: [
        { sourceStep: 2, type: 'bar', x: 'city', y: 'n' },
        { sourceStep: 3, type: 'bar', x: 'city', y: 'n' },
        { sourceStep: 4, type: 'bar', x: 'city', y: 'n' },
        { sourceStep: 2, type: 'bar', x: 'carier', y: 'n' },
      ],
    }),
    steps: [
      [1, one],
      [2, nulls],
      [3, { ...nulls, rows: [] }],
    ] as const,
  })
  const { page } = harness
  expect(await page.locator('.chart-figure').innerText()).toMatch(/1,234,567\.13\s+total/)
  for (const words of [
    'All values of “n” are empty: nothing to draw.',
    'No rows: the step returned nothing.',
    'Step 4 has no rows, so there is nothing to draw from it.',
    'Step 2 has no column “carier”: its rows are shown instead.',
  ]) {
    expect.soft(await page.getByText(words).count(), words).toBe(1)
  }
})

it('moves through ten thousand rows by keyboard, sorts, copies, and goes to the proven cell', async () => {
  const { page } = harness
  await harness.run(() => chartScreen.showGrid(10_000, { row: 7321, column: 'share' }))
  const grid = page.getByRole('grid', { name: 'Rows of step 3' })
  const proven = page.locator('td.hit')
  await proven.waitFor()
  expect(await proven.innerText()).toBe(String((7321 * 37) % 100))
  expect(await proven.evaluate((cell) => cell.getBoundingClientRect().bottom <= innerHeight)).toBe(true)
  expect(await page.locator('td').count()).toBeLessThan(150)
  const active = () =>
    page.evaluate(
      () => document.getElementById(document.activeElement?.getAttribute('aria-activedescendant') ?? '')?.innerText,
    )
  await grid.focus()
  await page.keyboard.press('Control+End')
  await expect.poll(active).toBe(String((9999 * 37) % 100))
  await page.keyboard.press('Home')
  await expect.poll(active).toBe('9999')
  const copied = await page.evaluate(() => {
    const data = new DataTransfer()
    document.activeElement?.dispatchEvent(
      new ClipboardEvent('copy', { clipboardData: data, bubbles: true, cancelable: true }),
    )
    return data.getData('text/plain')
  })
  expect(copied).toBe('9999')
  expect(await seriousIssues(page)).toEqual([])
  await page.keyboard.press('Control+Home')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.locator('th').first().getAttribute('aria-sort')).toBe('descending')
  await page.keyboard.press('ArrowDown')
  await expect.poll(active).toBe('9999')
  expect(await page.locator('.rows-grid-foot').innerText()).toBe('first 10,000 of 2,418,306 rows, sorted among these')
})
