import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

export const rowHeight = 36
export const headHeight = 36

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

interface GridView {
  readonly scrollTop: number
  readonly height: number
}

const beyond = 8

/** Rows from `first` to `end` (exclusive): the visible ones and a few more. */
export function rowsInSight({ scrollTop, height }: GridView, count: number): { first: number; end: number } {
  const first = Math.max(0, Math.floor(scrollTop / rowHeight) - beyond)
  return { first: Math.min(first, count), end: Math.min(count, Math.ceil((scrollTop + height) / rowHeight) + beyond) }
}

/** The scroll position that makes a row visible, or the current one if it is. The header covers the top. */
export function scrollTopFor(row: number, { scrollTop, height }: GridView): number {
  const [top, visibleHeight] = [row * rowHeight, Math.max(rowHeight, height - headHeight)]
  if (top < scrollTop) return Math.max(0, top)
  return top + rowHeight > scrollTop + visibleHeight ? top + rowHeight - visibleHeight : scrollTop
}
