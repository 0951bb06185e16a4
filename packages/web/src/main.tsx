import '@fontsource-variable/atkinson-hyperlegible-next/wght.css'
import '@fontsource-variable/geist-mono/wght.css'
import './app/styles/workbench.css'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { preloadSession, router } from './app/router.tsx'
import { WorkbenchContext } from './hooks/use-workbench.ts'
import { whenIdle } from './stores/primitives/when-idle.ts'
import { createWorkbench } from './stores/workbench.ts'

const container = document.getElementById('workbench')
if (container === null) throw new Error('index.html has no #workbench element')

const workbench = createWorkbench({ fetch: globalThis.fetch.bind(globalThis), origin: location.origin })

createRoot(container).render(
  <StrictMode>
    <WorkbenchContext value={workbench}>
      <RouterProvider router={router} />
    </WorkbenchContext>
  </StrictMode>,
)

whenIdle(() => void preloadSession()?.catch(() => undefined)) // the page loads again when it is opened
