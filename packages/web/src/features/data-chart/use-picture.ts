import { type RefObject, useEffect, useRef, useState } from 'react'
import { readChartTheme } from '../../analysis/chart/chart-theme.ts'
import type { Drawing } from '../../analysis/chart/drawing-of.ts'
import { renderChart } from '../../analysis/chart/render-chart.ts'
import { specFor } from '../../analysis/chart/spec-for.ts'
import type { ChartView } from '../../analysis/chart/vega-view.ts'

export interface Picture {
  readonly box: RefObject<HTMLDivElement | null>
  readonly status: 'drawing' | 'drawn' | 'failed'
}

/** Draws into the box, and again when it has another width or the page another theme. */
export function usePicture(drawing: Drawing): Picture {
  const box = useRef<HTMLDivElement>(null)
  const [status, setStatus] = useState<Picture['status']>('drawing')
  const width = useWidth(box)
  const theme = useThemeChanges()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours are read anew when the theme has changed
  useEffect(() => {
    const element = box.current
    if (element === null || width === 0) return
    let isLeft = false
    let view: ChartView | null = null
    renderChart(element, specFor(drawing, { theme: readChartTheme(), width })).then(
      (drawn) => {
        if (isLeft) return drawn.close()
        view = drawn
        setStatus('drawn')
      },
      () => isLeft || setStatus('failed'),
    )
    return () => {
      isLeft = true
      view?.close()
    }
  }, [drawing, width, theme])
  return { box, status }
}

/** In steps, so that the picture is not drawn anew for every pixel of a pane that is being moved. */
function useWidth(box: RefObject<HTMLDivElement | null>): number {
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const watcher = new ResizeObserver(() => {
      // A pane that is put away has no width; its picture waits as it is.
      if (element.clientWidth > 0) setWidth(Math.max(200, Math.floor(element.clientWidth / 4) * 4))
    })
    watcher.observe(element)
    return () => watcher.disconnect()
  }, [box])
  return width
}

/** Counts up whenever the page is dressed differently. */
function useThemeChanges(): number {
  const [changes, setChanges] = useState(0)
  useEffect(() => {
    const change = () => setChanges((count) => count + 1)
    const system = matchMedia('(prefers-color-scheme: dark)')
    const chosen = new MutationObserver(change)
    chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    system.addEventListener('change', change)
    return () => {
      chosen.disconnect()
      system.removeEventListener('change', change)
    }
  }, [])
  return changes
}
