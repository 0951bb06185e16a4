import { Button } from '../../../components/controls/button.tsx'

/** Where the browser gives no place to keep anything, or did not in time. */
export function NoStorageNotice() {
  return (
    <div className="status-line">
      <span role="status">
        <b>This browser keeps nothing right now:</b> tables and analyses go when you leave this page. What it kept
        before, locks of columns too, is not here.
      </span>
      <Button variant={['s']} onClick={() => location.reload()}>
        Reload the page
      </Button>
    </div>
  )
}
