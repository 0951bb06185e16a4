/** Why an action failed or is not possible. Screen readers announce it when it appears. */
export function Problem({ text }: { readonly text: string | null | undefined }) {
  if (text == null) return null
  return (
    <p className="problem" role="alert">
      {text}
    </p>
  )
}
