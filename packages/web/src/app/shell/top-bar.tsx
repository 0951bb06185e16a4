import { Moon, Sun, SunMoon } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../../components/controls/button.tsx'
import { useStore } from '../../hooks/use-store.ts'
import { useWorkbench } from '../../hooks/use-workbench.ts'

const labels = { connecting: 'Connecting', live: 'Live', reconnecting: 'Reconnecting' } as const

export function TopBar({ crumbs, principal }: { readonly crumbs: ReactNode; readonly principal: string | null }) {
  const { link } = useStore(useWorkbench().connection)
  return (
    <header className="row topbar">
      <div className="row crumbs">{crumbs}</div>
      <div className="end">
        <span className="live" role="status" data-connection={link}>
          {labels[link]}
        </span>
        <ThemeButton />
        {principal !== null && (
          <span className="avatar wide-only" title={`Signed in as ${principal}`}>
            {principal.slice(0, 2).toUpperCase()}
          </span>
        )}
      </div>
    </header>
  )
}

type Theme = 'system' | 'light' | 'dark'

const next: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' }
const icons = { system: SunMoon, light: Sun, dark: Moon } as const

function ThemeButton() {
  const [theme, choose] = useTheme()
  const Icon = icons[theme]
  return (
    <Button
      variant={['quiet', 's', 'square']}
      aria-label={`Theme: ${theme}. Change to ${next[theme]}`}
      title={`Theme: ${theme}`}
      onClick={() => choose(next[theme])}
    >
      <Icon className="icon" aria-hidden="true" />
    </Button>
  )
}

const storageKey = 'quarterdeck.theme'

/** `before-paint.js` has already applied the stored choice. This hook reads and changes it. */
function useTheme(): readonly [Theme, (next: Theme) => void] {
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
