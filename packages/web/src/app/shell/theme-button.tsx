import { Moon, Sun, SunMoon } from 'lucide-react'
import { Button } from '../../components/controls/button.tsx'
import { type Theme, useTheme } from './use-theme.ts'

const next: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' }
const icons = { system: SunMoon, light: Sun, dark: Moon } as const

export function ThemeButton() {
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
