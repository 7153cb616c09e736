// Reads cases as JSON lines and writes what Go's regexp package says about each: the reference of src/base/regexp.
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"regexp"
	"unicode/utf16"
)

type input struct {
	Pattern string `json:"pattern"`
	Text    string `json:"text"`
}

type output struct {
	Pattern string   `json:"pattern"`
	Text    string   `json:"text"`
	Error   string   `json:"error,omitempty"`
	Groups  []int    `json:"groups,omitempty"`
	All     []string `json:"all,omitempty"`
}

// units counts UTF-16 units before a byte offset.
func units(text string, offset int) int {
	if offset < 0 {
		return -1
	}
	return len(utf16.Encode([]rune(text[:offset])))
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<20), 1<<20)
	writer := bufio.NewWriter(os.Stdout)
	defer writer.Flush()
	encoder := json.NewEncoder(writer)
	for lines.Scan() {
		var in input
		if err := json.Unmarshal(lines.Bytes(), &in); err != nil {
			panic(err)
		}
		out := output{Pattern: in.Pattern, Text: in.Text}
		expression, err := regexp.Compile(in.Pattern)
		if err != nil {
			out.Error = err.Error()
		} else {
			for _, offset := range expression.FindStringSubmatchIndex(in.Text) {
				out.Groups = append(out.Groups, units(in.Text, offset))
			}
			out.All = expression.FindAllString(in.Text, -1)
		}
		if err := encoder.Encode(out); err != nil {
			panic(err)
		}
	}
}
