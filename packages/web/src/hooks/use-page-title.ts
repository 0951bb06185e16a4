import { useEffect } from 'react'

/** The tab says what waits, so that it can be found among others. */
export function usePageTitle(title: string, waiting = 0): void {
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${title} · Quarterdeck`
  }, [title, waiting])
}
