import { type RefObject, useEffect, useRef, useState } from 'react'
import type { Drawing } from '../../charts/chart-drawing.ts'
import { renderChart } from '../../charts/render-chart.ts'
import { readChartTheme } from '../../charts/spec/chart-theme.ts'
import { specFor } from '../../charts/spec/spec-for.ts'
import type { ChartView } from '../../charts/vega-view.ts'

/** Draws into the box, and redraws when its width or the theme changes. */
export function usePicture(drawing: Drawing) {
  const box = useRef<HTMLDivElement>(null)
  const [status, setStatus] = useState<'drawing' | 'drawn' | 'failed'>('drawing')
  const width = useWidth(box)
  const theme = useThemeChanges()
  // biome-ignore lint/correctness/useExhaustiveDependencies: colors are read again after a theme change
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

/** In steps, so that resizing a pane does not redraw for every pixel. */
function useWidth(box: RefObject<HTMLDivElement | null>): number {
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const watcher = new ResizeObserver(() => {
      // A hidden pane has no width; its chart stays.
      if (element.clientWidth > 0) setWidth(Math.max(200, Math.floor(element.clientWidth / 4) * 4))
    })
    watcher.observe(element)
    return () => watcher.disconnect()
  }, [box])
  return width
}

/** Increases whenever the theme changes. */
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
