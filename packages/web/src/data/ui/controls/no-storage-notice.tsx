import { SmallButton } from './small-button.tsx'

/** Shown if the browser has no storage, or it did not open in time. */
export function NoStorageNotice() {
  return (
    <div className="status-line">
      <span role="status">
        <b>This browser stores nothing right now:</b> tables and analyses are lost when you close this page. Earlier
        tables, analyses and locks are not available.
      </span>
      <SmallButton onClick={() => location.reload()}>Reload the page</SmallButton>
    </div>
  )
}
