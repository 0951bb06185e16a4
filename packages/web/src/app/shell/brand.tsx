export function Brand() {
  return (
    <div className="row brand">
      <svg viewBox="0 0 20 20" aria-hidden="true">
        <circle cx="10" cy="10" r="7.6" fill="none" stroke="currentColor" strokeWidth="1.8" />
        <path d="M10 10V4.6A5.4 5.4 0 0 1 15.4 10Z" fill="var(--logo)" />
        <path d="m13.2 13.2 3.6 3.6" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round" />
      </svg>
      <span>Quarterdeck</span>
    </div>
  )
}
