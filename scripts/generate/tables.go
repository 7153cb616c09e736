package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const width = 120

// typesFile writes the table of a release: all of it, or what differs from the release before.
func typesFile(r release, now table, before *table) string {
	var out strings.Builder
	what := "Every type of the API"
	if before != nil {
		what = fmt.Sprintf("What differs from v1.%d", r.minor-1)
	}
	fmt.Fprintf(&out, "// Written by `npm run generate -- %s`; do not edit. The notation is explained in src/api/schema/type-table.ts.\n\n", r.version)
	fmt.Fprintf(&out, "/** %s: the types of %s. */\nexport const apiTypes = `\n", what, r.version)
	if before == nil {
		before = &table{heads: map[string]string{}, entries: map[string][]entry{}}
	}
	for _, id := range now.packages {
		lines := changed(now.entries[id], before.entries[id])
		if len(lines) == 0 && now.heads[id] == before.heads[id] {
			continue
		}
		fmt.Fprintf(&out, "package %s %s\n", id, now.heads[id])
		for _, line := range lines {
			wrap(&out, line)
		}
	}
	for _, id := range before.packages {
		if _, ok := now.heads[id]; !ok {
			fmt.Fprintf(&out, "-package %s\n", id)
		}
	}
	out.WriteString("`\n")
	return out.String()
}

func changed(now, before []entry) []string {
	old := map[string]string{}
	for _, one := range before {
		old[one.name] = one.text
	}
	lines := []string{}
	aliases := map[string]int{}
	for _, one := range now {
		text, known := old[one.name]
		delete(old, one.name)
		if known && text == one.text {
			continue
		}
		// Names of the same type share a line.
		if parts := strings.Split(one.text, " "); parts[0] == "=" {
			head := strings.Join(parts[:2], " ")
			if at, ok := aliases[head]; ok {
				lines[at] += " " + parts[2]
				continue
			}
			aliases[head] = len(lines)
		}
		lines = append(lines, one.text)
	}
	for _, one := range before {
		if _, gone := old[one.name]; gone {
			lines = append(lines, "-"+one.name)
		}
	}
	return lines
}

func wrap(out *strings.Builder, line string) {
	column := 0
	for i, word := range strings.Split(line, " ") {
		if i > 0 && column+1+len(word) > width {
			out.WriteString("\n  ")
			column = 2
		} else if i > 0 {
			out.WriteString(" ")
			column++
		}
		out.WriteString(word)
		column += len(word)
	}
	out.WriteString("\n")
}

// committed reads the table of a release back from the files of it and of the releases before it.
func committed(into string, minor int) *table {
	text, err := os.ReadFile(filepath.Join(into, fmt.Sprintf("v1.%d", minor), "api-types.ts"))
	if err != nil {
		return nil
	}
	base := committed(into, minor-1)
	if base == nil {
		base = &table{heads: map[string]string{}, entries: map[string][]entry{}}
	}
	_, body, _ := strings.Cut(string(text), "`\n")
	// The first backquote is in the comment.
	if _, rest, ok := strings.Cut(body, "= `\n"); ok {
		body = rest
	}
	body = strings.TrimSuffix(body, "`\n")
	apply(base, strings.Split(strings.ReplaceAll(body, "\n  ", " "), "\n"))
	return base
}

func apply(to *table, lines []string) {
	at := ""
	for _, line := range lines {
		words := strings.Split(line, " ")
		switch {
		case line == "":
		case words[0] == "package":
			at = words[1]
			if _, known := to.heads[at]; !known {
				to.packages = append(to.packages, at)
			}
			to.heads[at] = strings.Join(words[2:], " ")
		case words[0] == "-package":
			delete(to.heads, words[1])
			delete(to.entries, words[1])
			to.packages = without(to.packages, words[1])
		case words[0] == "=":
			for _, name := range words[2:] {
				plain, _, _ := strings.Cut(name, "(")
				put(to, at, entry{plain, strings.Join([]string{words[0], words[1], name}, " ")})
			}
		case strings.HasPrefix(line, "-"):
			kept := []entry{}
			for _, one := range to.entries[at] {
				if one.name != line[1:] {
					kept = append(kept, one)
				}
			}
			to.entries[at] = kept
		default:
			put(to, at, entry{strings.TrimSuffix(words[0], "#"), line})
		}
	}
}

func put(to *table, id string, new entry) {
	for i, one := range to.entries[id] {
		if one.name == new.name {
			to.entries[id][i] = new
			return
		}
	}
	to.entries[id] = append(to.entries[id], new)
}

func without(names []string, gone string) []string {
	kept := []string{}
	for _, name := range names {
		if name != gone {
			kept = append(kept, name)
		}
	}
	return kept
}
