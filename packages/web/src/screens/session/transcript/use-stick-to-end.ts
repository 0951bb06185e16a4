import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

/**
 * A reader at the end stays at the end, and a reader further up is never moved. While an approval or a question is
 * open, the end is the top of its card: a user must see the request before the Allow button. `unseen` counts the rows
 * added while the reader was scrolled up.
 */
export function useStickToEnd(box: RefObject<HTMLElement | null>, rows: number, content: unknown) {
  const [isAtEnd, setAtEnd] = useState(true)
  const [seenRows, setSeenRows] = useState(rows)
  const isPinned = useRef(true)

  const onScroll = useCallback(() => {
    const element = box.current
    if (element === null) return
    const isNear = endOf(element) - element.scrollTop < 40
    if (isPinned.current && !isNear) setSeenRows(rows)
    isPinned.current = isNear
    setAtEnd(isNear)
  }, [box, rows])

  const goToEnd = useCallback(() => {
    const element = box.current
    if (element !== null) element.scrollTop = endOf(element)
  }, [box])

  // biome-ignore lint/correctness/useExhaustiveDependencies: whatever changes the height must be followed
  useLayoutEffect(() => {
    const element = box.current
    // A reader who scrolled down inside an open card is not moved back to its top.
    if (isPinned.current && element !== null && element.scrollTop < endOf(element)) goToEnd()
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

function endOf(element: HTMLElement): number {
  const end = element.scrollHeight - element.clientHeight
  const card = element.querySelector('article.ask')
  if (card === null) return end
  const top = card.getBoundingClientRect().top - element.getBoundingClientRect().top + element.scrollTop
  return Math.min(end, Math.floor(top) - 8)
}
