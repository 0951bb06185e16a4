import { type RefObject, useEffect, useRef } from 'react'

/** Scrolls to a question that was asked in this tab. Questions of other tabs do not move the view. */
export function useShowNewRun(list: RefObject<HTMLDivElement | null>, count: number): () => void {
  const before = useRef<number | null>(null)
  const isAsked = useRef(false)
  useEffect(() => {
    const isFirstLook = before.current === null
    const isNew = isAsked.current && count > (before.current ?? 0)
    before.current = count
    if (isNew) isAsked.current = false
    if (!isFirstLook && !isNew) return
    list.current?.querySelector('.run:last-of-type')?.scrollIntoView({ block: isFirstLook ? 'nearest' : 'start' })
  }, [list, count])
  return () => {
    isAsked.current = true
  }
}
