import type { SessionState, UserItem } from '@quarterdeck/protocol'
import { ForkDialog } from '../features/fork/fork-dialog.tsx'
import { RewindDialog } from '../features/rewind/rewind-dialog.tsx'
import { DeleteDialog } from '../features/session-settings/delete-dialog.tsx'
import { SettingsDialog } from '../features/session-settings/settings-dialog.tsx'
import { useSessionActs } from '../hooks/use-session-acts.ts'

/** What is open over the session; `null` is nothing. */
export type OpenDialog =
  | { readonly type: 'settings' }
  | { readonly type: 'delete' }
  | { readonly type: 'fork'; readonly item: UserItem }
  | { readonly type: 'rewind'; readonly item: UserItem }
  | null

export interface SessionDialogsProps {
  readonly open: OpenDialog
  readonly session: SessionState
  readonly onClose: () => void
}

/** Mounted anew for each dialog. */
export function SessionDialogs({ open, session, onClose }: SessionDialogsProps) {
  const acts = useSessionActs(session)
  const tried = { failure: acts.failures[0] ?? null, isBusy: acts.isBusy, onClose }
  switch (open?.type) {
    case 'settings':
      return <SettingsDialog {...tried} session={session} onChange={acts.change} />
    case 'delete':
      return <DeleteDialog {...tried} session={session} onDelete={() => void acts.remove()} />
    case 'fork': {
      const { item } = open
      const fork = (message: string) => void acts.fork({ ...(item.seq === null ? {} : { at: item.seq }), message })
      return <ForkDialog {...tried} item={item} onFork={fork} />
    }
    case 'rewind':
      return <RewindDialog session={session} item={open.item} onClose={onClose} />
    default:
      return null
  }
}
