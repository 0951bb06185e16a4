import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { type GridView, scrollTopFor } from './grid-window.ts'

/** The visible part of the grid. Before layout, the size of a typical pane. */
export function useGridView() {
  const box = useRef<HTMLDivElement>(null)
  const [view, setView] = useState<GridView>({ scrollTop: 0, height: 360 })

  const onScroll = useCallback(() => {
    const element = box.current
    if (element === null) return
    const { scrollTop, clientHeight: height } = element
    setView((before) => (before.scrollTop === scrollTop && before.height === height ? before : { scrollTop, height }))
  }, [])

  useLayoutEffect(onScroll, [onScroll])
  useEffect(() => {
    if (box.current === null) return
    const watcher = new ResizeObserver(onScroll)
    watcher.observe(box.current)
    return () => watcher.disconnect()
  }, [onScroll])

  /** Scrolls a row and a column into view if needed. */
  function show(row: number, column: number): void {
    const element = box.current
    if (element === null) return
    if (row >= 0) element.scrollTop = scrollTopFor(row, { scrollTop: element.scrollTop, height: element.clientHeight })
    const head = element.querySelectorAll('th').item(column)
    if (head === null) return
    const [left, right] = [head.offsetLeft, head.offsetLeft + head.offsetWidth]
    if (left < element.scrollLeft) element.scrollLeft = left
    else if (right > element.scrollLeft + element.clientWidth) element.scrollLeft = right - element.clientWidth
    onScroll()
  }

  return { box, view, onScroll, show }
}
