import type { TopLevelSpec } from 'vega-lite'
import type { ChartView } from './vega-view.ts'

const loadView = () => import('./vega-view.ts')

/** Replaces the content of the element with the chart. The caller closes it. */
export async function renderChart(element: HTMLElement, spec: TopLevelSpec): Promise<ChartView> {
  const { openChartView } = await loadView()
  // A child element, because Vega sets ARIA attributes on its element and the frame has a better label.
  const container = document.createElement('div')
  container.ariaHidden = 'true'
  element.replaceChildren(container)
  const view = openChartView(spec, container)
  try {
    await view.ready
    return view
  } catch (error) {
    // The caller has no handle to close it yet.
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

/** With the background of the spec. Drawn on a canvas of the page, which has the fonts; no image is loaded. */
export async function toPng(spec: TopLevelSpec): Promise<Blob> {
  const { openChartView } = await loadView()
  const view = openChartView(spec, null)
  try {
    const canvas = await view.toCanvas()
    return await new Promise((resolve, reject) => {
      canvas.toBlob(
        (blob) => (blob === null ? reject(new Error('The image is too large.')) : resolve(blob)),
        'image/png',
      )
    })
  } finally {
    view.close()
  }
}
