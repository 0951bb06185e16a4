import { useEffect } from 'react'

/** The title shows the number of open requests, so that users find the tab. */
export function usePageTitle(title: string, waiting = 0): void {
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${title} · Quarterdeck`
  }, [title, waiting])
}
