import type { TopLevelSpec } from 'vega-lite'
import type { ChartView } from './vega-view.ts'

/** Replaces the content of the element with the chart. The caller closes it. */
export async function renderChart(element: HTMLElement, spec: TopLevelSpec): Promise<ChartView> {
  const { openChartView } = await import('./vega-view.ts')
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

async function inView<Result>(spec: TopLevelSpec, work: (view: ChartView) => Promise<Result>): Promise<Result> {
  const { openChartView } = await import('./vega-view.ts')
  const view = openChartView(spec, null)
  try {
    return await work(view)
  } finally {
    view.close()
  }
}

export const toSvg = (spec: TopLevelSpec): Promise<string> => inView(spec, (view) => view.toSvg())

/** With the background of the spec. Drawn on a canvas of the page, which has the fonts; no image is loaded. */
export const toPng = (spec: TopLevelSpec): Promise<Blob> =>
  inView(spec, async (view) => {
    const canvas = await view.toCanvas()
    return new Promise((resolve, reject) => {
      const settle = (blob: Blob | null) =>
        blob === null ? reject(new Error('The image is too large.')) : resolve(blob)
      canvas.toBlob(settle, 'image/png')
    })
  })
