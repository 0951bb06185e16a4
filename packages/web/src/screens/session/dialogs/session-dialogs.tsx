import type { SessionState, UserItem } from '@quarterdeck/protocol'
import { useSessionActions } from '../actions/use-session-actions.ts'
import { RewindDialog } from '../rewind/rewind-dialog.tsx'
import { SettingsDialog } from '../settings/settings-dialog.tsx'
import { DeleteDialog } from './delete-dialog.tsx'
import { ForkDialog } from './fork-dialog.tsx'

/** The open dialog of the session page, or `null`. */
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

/** Mounted again for each dialog. */
export function SessionDialogs({ open, session, onClose }: SessionDialogsProps) {
  const actions = useSessionActions(session)
  const tried = { failure: actions.failures[0] ?? null, isBusy: actions.isBusy, onClose }
  switch (open?.type) {
    case 'settings':
      return <SettingsDialog {...tried} session={session} onChange={actions.change} />
    case 'delete':
      return <DeleteDialog {...tried} session={session} onDelete={() => void actions.remove()} />
    case 'fork': {
      const { item } = open
      const fork = (message: string) => void actions.fork({ ...(item.seq === null ? {} : { at: item.seq }), message })
      return <ForkDialog {...tried} item={item} onFork={fork} />
    }
    case 'rewind':
      return <RewindDialog session={session} item={open.item} onClose={onClose} />
    default:
      return null
  }
}
