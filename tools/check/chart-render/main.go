// Renders the templates of a Helm chart with Go's own text/template, as Helm does, for tools/check/chart.test.ts: no Helm is needed.
// Standard input: {"templates": {name: text}, "data": {"Values": …, "Release": …, "Chart": …}}. Standard output: {name: text}.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"text/template"
)

func main() {
	var input struct {
		Templates map[string]string
		Data      map[string]interface{}
	}
	check(json.NewDecoder(os.Stdin).Decode(&input))
	root := template.New("chart").Option("missingkey=zero")
	root.Funcs(functions(root))
	for name, text := range input.Templates {
		_, err := root.New(name).Parse(text)
		check(err)
	}
	rendered := map[string]string{}
	for name := range input.Templates {
		if strings.HasPrefix(name, "_") {
			continue
		}
		var out bytes.Buffer
		check(root.ExecuteTemplate(&out, name, input.Data))
		rendered[name] = out.String()
	}
	check(json.NewEncoder(os.Stdout).Encode(rendered))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// The functions of Helm and Sprig that the chart uses. Another one is an error, and is added here.
func functions(root *template.Template) template.FuncMap {
	indent := func(spaces int, text string) string {
		pad := strings.Repeat(" ", spaces)
		return pad + strings.ReplaceAll(text, "\n", "\n"+pad)
	}
	return template.FuncMap{
		"include": func(name string, data interface{}) (string, error) {
			var out bytes.Buffer
			err := root.ExecuteTemplate(&out, name, data)
			return out.String(), err
		},
		// JSON is YAML.
		"toYaml": func(value interface{}) (string, error) {
			text, err := json.Marshal(value)
			return string(text), err
		},
		"nindent": func(spaces int, text string) string { return "\n" + indent(spaces, text) },
		"quote":   func(value interface{}) string { return fmt.Sprintf("%q", fmt.Sprint(value)) },
		"upper":   strings.ToUpper,
		"default": func(fallback interface{}, value interface{}) interface{} {
			if truth, _ := template.IsTrue(value); truth {
				return value
			}
			return fallback
		},
		"fail": func(reason string) (string, error) { return "", fmt.Errorf("%s", reason) },
		"list": func(values ...interface{}) []interface{} { return values },
		"dict": func(pairs ...interface{}) map[string]interface{} {
			made := map[string]interface{}{}
			for at := 0; at+1 < len(pairs); at += 2 {
				made[fmt.Sprint(pairs[at])] = pairs[at+1]
			}
			return made
		},
		// What comes first wins, and is changed, as in Sprig.
		"merge": func(target map[string]interface{}, sources ...map[string]interface{}) map[string]interface{} {
			for _, source := range sources {
				for name, value := range source {
					if _, there := target[name]; !there {
						target[name] = value
					}
				}
			}
			return target
		},
		"append": func(values []interface{}, more interface{}) []interface{} {
			return append(append([]interface{}{}, values...), more)
		},
		"concat": func(one []interface{}, other []interface{}) []interface{} {
			return append(append([]interface{}{}, one...), other...)
		},
		"join":      join,
		"splitList": func(separator string, text string) []string { return strings.Split(text, separator) },
		"has": func(wanted interface{}, values []interface{}) bool {
			for _, value := range values {
				if value == wanted {
					return true
				}
			}
			return false
		},
		"ternary": func(yes interface{}, no interface{}, condition bool) interface{} {
			if condition {
				return yes
			}
			return no
		},
	}
}

func join(separator string, values []interface{}) string {
	texts := make([]string, len(values))
	for at, value := range values {
		texts[at] = fmt.Sprint(value)
	}
	return strings.Join(texts, separator)
}
