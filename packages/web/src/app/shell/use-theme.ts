import { useState } from 'react'

export type Theme = 'system' | 'light' | 'dark'

const storageKey = 'quarterdeck.theme'

/** `before-paint.js` has already put the kept choice on the page; this changes it. */
export function useTheme(): readonly [Theme, (next: Theme) => void] {
  const [theme, setTheme] = useState<Theme>(() => themeOf(document.documentElement.dataset.theme))
  function choose(next: Theme): void {
    setTheme(next)
    if (next === 'system') {
      delete document.documentElement.dataset.theme
      localStorage.removeItem(storageKey)
    } else {
      document.documentElement.dataset.theme = next
      localStorage.setItem(storageKey, next)
    }
  }
  return [theme, choose]
}

const themeOf = (text: string | undefined): Theme => (text === 'light' || text === 'dark' ? text : 'system')
