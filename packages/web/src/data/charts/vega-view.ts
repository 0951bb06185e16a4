// The only file that knows Vega, loaded when the first chart is drawn. No code is made of text (the page's policy forbids
// it): expressions are walked by the interpreter. Nothing is loaded: the loader refuses.
import { parse, View } from 'vega'
import { expressionInterpreter } from 'vega-interpreter'
import { compile, type TopLevelSpec } from 'vega-lite'

export interface ChartView {
  /** Once it is drawn. */
  readonly ready: Promise<void>
  toSvg(): Promise<string>
  /** Twice as fine as the screen. */
  toCanvas(): Promise<HTMLCanvasElement>
  close(): void
}

/** In an element of the page, or in none to make a file of it. */
export function openChartView(spec: TopLevelSpec, container: HTMLElement | null): ChartView {
  const { spec: compiled } = compile(spec, { logger: quiet })
  const view = new View(parse(compiled, undefined, { ast: true }), {
    expr: expressionInterpreter,
    renderer: container === null ? 'none' : 'svg',
    loader: refusing,
    ...(container === null ? {} : { container }),
  })
  view.logLevel(0)
  const ready = view.runAsync().then(() => undefined)
  return {
    ready,
    toSvg: () => ready.then(() => view.toSVG()),
    toCanvas: () => ready.then(() => view.toCanvas(2)),
    close: () => void view.finalize(),
  }
}

const refuse = (): Promise<never> => Promise.reject(new Error('A chart loads nothing.'))
const refusing = { load: refuse, sanitize: refuse, http: refuse, file: refuse, options: {} }

/** What Vega-Lite remarks is about specs people write; ours are compiled one by one in the tests. */
const quiet = {
  level: () => quiet,
  error: () => quiet,
  warn: () => quiet,
  info: () => quiet,
  debug: () => quiet,
}
