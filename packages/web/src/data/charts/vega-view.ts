// The only file that imports Vega, loaded with the first chart. The page's policy forbids code from text, so
// expressions run in the interpreter. The loader refuses all requests.
import { parse, View } from 'vega'
import { expressionInterpreter } from 'vega-interpreter'
import { compile, type TopLevelSpec } from 'vega-lite'

export type ChartView = ReturnType<typeof openChartView>

/** Draws into an element of the page, or into none to create a file. */
export function openChartView(spec: TopLevelSpec, container: HTMLElement | null) {
  const { spec: compiled } = compile(spec, { logger: quiet })
  const view = new View(parse(compiled, undefined, { ast: true }), {
    expr: expressionInterpreter,
    renderer: container === null ? 'none' : 'svg',
    loader: refusing,
    ...(container === null ? {} : { container }),
  })
  view.logLevel(0)
  /** Resolves after drawing. */
  const ready = view.runAsync().then(() => undefined)
  return {
    ready,
    toSvg: (): Promise<string> => ready.then(() => view.toSVG()),
    /** At twice the screen resolution. */
    toCanvas: (): Promise<HTMLCanvasElement> => ready.then(() => view.toCanvas(2)),
    close: (): void => void view.finalize(),
  }
}

const refuse = (): Promise<never> => Promise.reject(new Error('Charts cannot load files.'))
const refusing = { load: refuse, sanitize: refuse, http: refuse, file: refuse, options: {} }

/** Vega-Lite's warnings are for hand-written specs. The tests compile ours without warnings. */
const quiet = { level: () => quiet, error: () => quiet, warn: () => quiet, info: () => quiet, debug: () => quiet }
