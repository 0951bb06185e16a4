import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

interface StickToEnd {
  readonly isAtEnd: boolean
  /** Rows that came while the reader was further up. */
  readonly unseen: number
  goToEnd(): void
  onScroll(): void
}

/** A reader at the end stays at the end; a reader further up is never moved. */
export function useStickToEnd(box: RefObject<HTMLElement | null>, rows: number, content: unknown): StickToEnd {
  const [isAtEnd, setAtEnd] = useState(true)
  const [seenRows, setSeenRows] = useState(rows)
  const isPinned = useRef(true)

  const onScroll = useCallback(() => {
    const element = box.current
    if (element === null) return
    const gap = element.scrollHeight - element.scrollTop - element.clientHeight
    const isNear = gap < 40
    if (isPinned.current && !isNear) setSeenRows(rows)
    isPinned.current = isNear
    setAtEnd(isNear)
  }, [box, rows])

  const goToEnd = useCallback(() => {
    const element = box.current
    if (element !== null) element.scrollTop = element.scrollHeight
  }, [box])

  // biome-ignore lint/correctness/useExhaustiveDependencies: whatever changes the height must be followed
  useLayoutEffect(() => {
    if (isPinned.current) goToEnd()
  }, [content, goToEnd])

  useEffect(() => {
    const element = box.current
    if (element === null) return
    const observer = new ResizeObserver(() => isPinned.current && goToEnd())
    observer.observe(element)
    return () => observer.disconnect()
  }, [box, goToEnd])

  return { isAtEnd, unseen: isAtEnd ? 0 : Math.max(0, rows - seenRows), goToEnd, onScroll }
}
