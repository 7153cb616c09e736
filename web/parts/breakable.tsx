import { Fragment } from 'preact'

/** A text with long words, such as `node.kubernetes.io/unreachable:NoExecute`, that breaks after `/`, `:` and `=`. */
export function Breakable({ text }: { readonly text: string }) {
  const parts = text.split(/(?<=[/:=])(?=\S)/)
  return (
    <>
      {parts.map((part, at) => (
        <Fragment key={at}>
          {at === 0 ? null : <wbr />}
          {part}
        </Fragment>
      ))}
    </>
  )
}
