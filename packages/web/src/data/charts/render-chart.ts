import type { TopLevelSpec } from 'vega-lite'
import type { ChartView } from './vega-view.ts'

const loadView = () => import('./vega-view.ts')

/** Draws into the element; what was in it goes. Whoever draws closes. */
export async function renderChart(element: HTMLElement, spec: TopLevelSpec): Promise<ChartView> {
  const { openChartView } = await loadView()
  // A place of its own: Vega names what it draws into, and the frame says better what is seen.
  const container = document.createElement('div')
  container.ariaHidden = 'true'
  element.replaceChildren(container)
  const view = openChartView(spec, container)
  try {
    await view.ready
    return view
  } catch (error) {
    // Nobody else has it to close it.
    view.close()
    throw error
  }
}

export async function toSvg(spec: TopLevelSpec): Promise<string> {
  const { openChartView } = await loadView()
  const view = openChartView(spec, null)
  try {
    return await view.toSvg()
  } finally {
    view.close()
  }
}

/** With the background of the spec. Drawn on a canvas of the page, which has its fonts; no picture is loaded for it. */
export async function toPng(spec: TopLevelSpec): Promise<Blob> {
  const { openChartView } = await loadView()
  const view = openChartView(spec, null)
  try {
    const canvas = await view.toCanvas()
    return await new Promise((resolve, reject) => {
      canvas.toBlob(
        (blob) => (blob === null ? reject(new Error('The picture is too large.')) : resolve(blob)),
        'image/png',
      )
    })
  } finally {
    view.close()
  }
}
