import { Outlet } from '@tanstack/react-router'
import { useStore } from '../hooks/use-store.ts'
import { useWorkbench } from '../hooks/use-workbench.ts'
import { SignInPage } from './sign-in-page.tsx'

/** Whoever is not signed in sees how to, whatever page was asked for. */
export function RootPage() {
  const { isSignedOut } = useStore(useWorkbench().connection)
  return isSignedOut ? <SignInPage /> : <Outlet />
}
