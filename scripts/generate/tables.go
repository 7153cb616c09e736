package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
)

const width = 120

// A longer table is written in several files.
const maxLines = 480

// typesFiles writes the table of a release: all of it, or what differs from the release before.
func typesFiles(folder string, r release, now table, before *table) []output {
	what := "Every type of the API"
	if before != nil {
		what = fmt.Sprintf("The changes from v1.%d", r.minor-1)
	}
	if before == nil {
		before = &table{heads: map[string]string{}, entries: map[string][]entry{}}
	}
	parts := []part{{}}
	for _, id := range now.packages {
		lines := changed(now.entries[id], before.entries[id])
		if len(lines) == 0 && now.heads[id] == before.heads[id] {
			continue
		}
		var block strings.Builder
		fmt.Fprintf(&block, "package %s %s\n", id, now.heads[id])
		for _, line := range lines {
			wrap(&block, line)
		}
		parts = inPart(parts, id, block.String())
	}
	for _, id := range before.packages {
		if _, ok := now.heads[id]; !ok {
			parts = inPart(parts, id, fmt.Sprintf("-package %s\n", id))
		}
	}
	note := fmt.Sprintf("// Written by `npm run generate -- %s`; do not edit. The notation is explained in src/api/schema/type-table.ts.\n\n", r.version)
	head := fmt.Sprintf("/** %s: the types of %s. */\n", what, r.version)
	main := filepath.Join(folder, "api-types.ts")
	if len(parts) == 1 {
		return []output{{main, note + head + "export const apiTypes = `\n" + parts[0].text + "`\n"}}
	}
	files := []output{}
	imports, names := []string{}, []string{}
	for at, one := range parts {
		name := fmt.Sprintf("part%d", at+1)
		file := "api-types-from-" + strings.ReplaceAll(one.first, "/", "-") + ".ts"
		imports = append(imports, fmt.Sprintf("import { apiTypes as %s } from './%s'\n", name, file))
		names = append(names, name)
		text := note + fmt.Sprintf("/** The types of %s, from the package %s on. */\nexport const apiTypes = `\n", r.version, one.first) + one.text + "`\n"
		files = append(files, output{filepath.Join(folder, file), text})
	}
	// Sorted by file, as the formatter wants them.
	sort.Slice(imports, func(i, j int) bool {
		return importPattern.FindStringSubmatch(imports[i])[2] < importPattern.FindStringSubmatch(imports[j])[2]
	})
	return append(files, output{main, note + strings.Join(imports, "") + "\n" + head + "export const apiTypes = [" + strings.Join(names, ", ") + "].join('')\n"})
}

// Packages that are written to one file.
type part struct {
	first string
	text  string
}

func inPart(parts []part, id, block string) []part {
	last := &parts[len(parts)-1]
	if last.text != "" && strings.Count(last.text, "\n")+strings.Count(block, "\n") > maxLines {
		return append(parts, part{id, block})
	}
	if last.first == "" {
		last.first = id
	}
	last.text += block
	return parts
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

var importPattern = regexp.MustCompile(`apiTypes as (part\d+) \} from '\./([^']*)'`)

// committed reads the table of a release back from the files of it and of the releases before it.
func committed(into string, minor int) *table {
	folder := filepath.Join(into, fmt.Sprintf("v1.%d", minor))
	text, err := os.ReadFile(filepath.Join(folder, "api-types.ts"))
	if err != nil {
		return nil
	}
	base := committed(into, minor-1)
	if base == nil {
		base = &table{heads: map[string]string{}, entries: map[string][]entry{}}
	}
	texts := []string{string(text)}
	if found := importPattern.FindAllStringSubmatch(string(text), -1); found != nil {
		texts = nil
		sort.Slice(found, func(i, j int) bool { return found[i][1] < found[j][1] })
		for _, match := range found {
			part, err := os.ReadFile(filepath.Join(folder, match[2]))
			if err != nil {
				fail("%v", err)
			}
			texts = append(texts, string(part))
		}
	}
	for _, text := range texts {
		// The first backquotes are in comments.
		_, body, _ := strings.Cut(text, "= `\n")
		body = strings.TrimSuffix(body, "`\n")
		apply(base, strings.Split(strings.ReplaceAll(body, "\n  ", " "), "\n"))
	}
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
