import { Moon, Sun, SunMoon } from 'lucide-react'
import { type Theme, useTheme } from '../../hooks/use-theme.ts'
import { Button } from '../../ui/button.tsx'

const next: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' }
const icons = { system: SunMoon, light: Sun, dark: Moon } as const

export function ThemeButton() {
  const [theme, choose] = useTheme()
  const Icon = icons[theme]
  return (
    <Button
      look={['quiet', 's', 'square']}
      aria-label={`Theme: ${theme}. Change to ${next[theme]}`}
      title={`Theme: ${theme}`}
      onClick={() => choose(next[theme])}
    >
      <Icon className="icon" aria-hidden="true" />
    </Button>
  )
}
