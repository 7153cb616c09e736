// biome-ignore-all lint/a11y/noNoninteractiveTabindex: a long text scrolls, also with the keyboard
import { useState } from 'preact/hooks'

/** A text to copy, such as a command. */
export function CopyText({ label, text }: { readonly label: string; readonly text: string }) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard?.writeText(text).catch(() => undefined)
    setCopied(true)
  }
  return (
    <div class="copy-text">
      <span class="muted">{label}</span>
      <button type="button" class="button" onClick={() => void copy()}>
        {copied ? 'Copied' : 'Copy'}
      </button>
      <pre tabIndex={0}>{text}</pre>
    </div>
  )
}
