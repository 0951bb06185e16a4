import '@fontsource-variable/atkinson-hyperlegible-next/wght.css'
import '@fontsource-variable/geist-mono/wght.css'
import './styles/workbench.css'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { WorkbenchContext } from './hooks/use-workbench.ts'
import { preloadSession, router } from './routes/router.tsx'
import { whenIdle } from './state/when-idle.ts'
import { createWorkbench } from './state/workbench.ts'

const place = document.getElementById('workbench')
if (place === null) throw new Error('the page has no place for the workbench')

const workbench = createWorkbench({ fetch: globalThis.fetch.bind(globalThis), origin: location.origin })

createRoot(place).render(
  <StrictMode>
    <WorkbenchContext value={workbench}>
      <RouterProvider router={router} />
    </WorkbenchContext>
  </StrictMode>,
)

whenIdle(() => void preloadSession()?.catch(() => undefined)) // whoever goes there tries again
