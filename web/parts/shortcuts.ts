import { pageList } from '../page-list.ts'
import { go, pageHref } from '../router.ts'
import { nextTheme } from './theme.ts'

const pages: ReadonlyMap<string, string> = new Map(pageList.map(({ key, path }) => [key, path]))

/** `g` and a letter for each page, `/` for the search box, Ctrl-K for everything, `?` for help. */
export function startShortcuts(does: { readonly onHelp: () => void; readonly onFind: () => void }): () => void {
  let afterG = 0
  const listen = (event: KeyboardEvent) => {
    if ((event.ctrlKey || event.metaKey) && event.key === 'k') {
      event.preventDefault()
      does.onFind()
      return
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
    const page = pages.get(event.key)
    if (afterG > event.timeStamp - 1_500 && page !== undefined) {
      afterG = 0
      event.preventDefault()
      go(pageHref(page))
      return
    }
    afterG = 0
    if (event.key === 'g') afterG = event.timeStamp
    else if (event.key === '?') does.onHelp()
    else if (event.key === 'D') nextTheme()
    else if (event.key === '/') {
      const search = document.querySelector<HTMLInputElement>('[data-search]')
      if (search === null) return
      event.preventDefault()
      search.focus()
      search.select()
    }
  }
  addEventListener('keydown', listen)
  return () => removeEventListener('keydown', listen)
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) || target.isContentEditable)
}
