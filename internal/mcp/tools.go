package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"whyhot/internal/host/shellwords"
	"whyhot/internal/mcp/allow"
)

// The tools, in the order in which they are used and listed.
const (
	toolProfile = "profile"
	toolExplain = "explain"
	toolSource  = "source"
	toolWhatIf  = "what_if"
	toolTry     = "try"
	toolLeft    = "left"
)

var toolOrder = []string{toolProfile, toolExplain, toolSource, toolWhatIf, toolTry, toolLeft}

func sortTools(tools []*sdk.Tool) {
	slices.SortFunc(tools, func(a, b *sdk.Tool) int {
		return slices.Index(toolOrder, a.Name) - slices.Index(toolOrder, b.Name)
	})
}

func (s *Server) addTools(to *sdk.Server) {
	add(s, to, toolProfile, "Record or open a profile", true,
		`Records a command (command, cwd), opens a file (file) or asks a whyhot server (url, service, last). Gives a handle for the other tools, the 15 lines of the program's own code that pay for most samples, with sampling errors, and the hottest lines beneath them. Keeps the tree as it is now: the baseline of "try".`,
		s.profile)
	add(s, to, toolExplain, "Why it is hot", false,
		`Findings ranked by the CPU that they could save, with evidence, where in the user's code, what to change and what was refuted. "finding" gives one in depth; "path" is a build directory with compile_commands.json, whose source is analysed too.`,
		s.explain)
	add(s, to, toolSource, "Hot lines and their machine code", false,
		`Hot lines of a function or a file with their samples, findings on these lines, and the machine code of the hottest loop.`,
		s.source)
	add(s, to, toolWhatIf, "Upper bound of a change", true,
		`What a change can bring at most, before it is made: of a finding, a function or a share of the CPU (Amdahl), or measured: "build" compiles the program as if the finding were fixed, "preload" and "env" try a setting.`,
		s.whatIf)
	add(s, to, toolTry, "Judge a change", true,
		`Measures the tree as it is now, or a setting (preload, env), against the baseline of the profile's handle: builds both, tests, interleaves runs, compares outputs, then repeats on a workload that is not shown. Starts a task; call again with "task" until state is "done", or with "cancel".`,
		s.try)
	add(s, to, toolLeft, "What is left to gain", false,
		`How much of the CPU is explained, refuted, proved or still open, what is at most to be had, and whether to stop.`,
		s.left)
}

// call is one call of a tool.
type call struct {
	req *sdk.CallToolRequest
	// agreed says that the user accepted what the call was refused for.
	agreed bool
}

// add registers a tool. Arguments that do not fit and errors are answers of the same form.
func add[In any, Out answer](s *Server, to *sdk.Server, name, title string, runs bool, about string, do func(context.Context, *call, In) (Out, error)) {
	input, output := schemaOf[In](), schemaOf[Out]()
	checked, err := input.Resolve(nil)
	if err != nil {
		panic(err) // a type of this package has no schema: no server can be made
	}
	destroys := false
	tool := &sdk.Tool{
		Name: name, Title: title, Description: about, InputSchema: input, OutputSchema: output,
		Annotations: &sdk.ToolAnnotations{Title: title, ReadOnlyHint: !runs, DestructiveHint: &destroys, OpenWorldHint: &destroys},
	}
	to.AddTool(tool, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		c := &call{req: req}
		var in In
		out, err := *new(Out), decode(req.Params.Arguments, checked, &in)
		if err != nil {
			err = wrong(err.Error(), "the arguments of "+name+" are "+argumentsOf(input), split(req.Params.Arguments, input))
		} else {
			out, err = do(ctx, c, in)
		}
		refused, ok := errors.AsType[*allow.RefusedError](err)
		if ok && refused.Command != nil && c.canAsk() {
			switch reply, asked := c.reply(); {
			case !asked:
				return c.ask(refused), nil
			case reply:
				c.agreed = true
				out, err = do(ctx, c, in)
			default:
				err = &problem{text: refused.What + "; the user declined", hint: "do without it, or ask the user why", retry: ""}
			}
		}
		if err == nil {
			return s.result(name, out, false)
		}
		b := &failure{}
		b.describe(err)
		return s.result(name, b, true)
	})
}

// failure is an answer that has only an error.
type failure struct{ Base }

func (f *failure) shorten() bool { return false }

func schemaOf[T any]() *jsonschema.Schema {
	schema, err := jsonschema.For[T](nil)
	if err != nil {
		panic(err) // as above
	}
	if slices.Contains(schema.Types, "null") { // of a pointer
		schema.Types, schema.Type = nil, "object"
	}
	// An error has none of the others.
	schema.Required = slices.DeleteFunc(schema.Required, func(name string) bool { return schema.Properties["unexplained"] != nil && name != "unexplained" })
	return schema
}

func argumentsOf(s *jsonschema.Schema) string {
	names := make([]string, 0, len(s.Properties))
	for name := range s.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

func decode(data json.RawMessage, schema *jsonschema.Resolved, into any) error {
	if len(bytes.TrimSpace(data)) == 0 {
		data = json.RawMessage("{}")
	}
	var given map[string]any
	if err := json.Unmarshal(data, &given); err != nil {
		return fmt.Errorf("the arguments are not an object: %w", err)
	}
	// Many clients send what they leave out as null.
	maps.DeleteFunc(given, func(_ string, v any) bool { return v == nil })
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	err := dec.Decode(into)
	if mistake, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		about := ""
		if p := schema.Schema().Properties[mistake.Field]; p != nil && p.Description != "" {
			about = " (" + p.Description + ")"
		}
		return fmt.Errorf("invalid arguments: %s must be %s%s, not %s", mistake.Field, inJSON(mistake.Type), about, mistake.Value)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("invalid arguments: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	for _, name := range schema.Schema().Required {
		if _, ok := given[name]; !ok {
			return fmt.Errorf("invalid arguments: %s is missing", name)
		}
	}
	if err := schema.Validate(given); err != nil {
		return fmt.Errorf("invalid arguments: %w", err)
	}
	return nil
}

// split is what to send where a command came as one text and not as a list, "" elsewhere.
func split(data json.RawMessage, schema *jsonschema.Schema) string {
	given := map[string]any{}
	if _, ok := schema.Properties["command"]; !ok || json.Unmarshal(data, &given) != nil {
		return ""
	}
	command, _ := given["command"].(string)
	words, err := shellwords.Split(command)
	if err != nil || len(words) == 0 || strings.ContainsAny(command, "|&;<>$`") || strings.Contains(words[0], "=") {
		return "" // a shell would make something else of it
	}
	maps.DeleteFunc(given, func(_ string, v any) bool { return v == nil })
	given["command"] = words
	retry, err := json.Marshal(given)
	if err != nil {
		return ""
	}
	return string(retry)
}

// inJSON names a type of Go as who writes JSON knows it.
func inJSON(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Slice:
		return "a list, each item " + inJSON(t.Elem())
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Struct, reflect.Map:
		return "an object"
	default:
		return "a number"
	}
}

// question is the name of the one request that a tool makes of its user.
const question = "allow"

// canAsk says whether the client asks its user on a server's behalf.
func (c *call) canAsk() bool {
	if c.req.Session == nil {
		return false
	}
	p := c.req.Session.InitializeParams()
	return p != nil && p.Capabilities != nil && p.Capabilities.Elicitation != nil
}

// ask has the client ask its user.
func (c *call) ask(refused *allow.RefusedError) *sdk.CallToolResult {
	return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{question: &sdk.ElicitParams{
		Mode:            "form",
		Message:         clip(refused.What, 2000) + ". Allow it while this server runs?",
		RequestedSchema: &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}},
	}}}
}

// reply is what the user said, if somebody asked.
func (c *call) reply() (yes, asked bool) {
	r, ok := c.req.Params.InputResponses[question].(*sdk.ElicitResult)
	return ok && r.Action == "accept", ok
}

// may says whether a command may be run; what the user has just accepted is remembered.
func (s *Server) may(c *call, words []string) error {
	if c.agreed {
		s.o.Rules.Agree(words)
	}
	return s.o.Rules.Command(words)
}

// busy is the refusal of what would disturb a trial.
func (s *Server) busy() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tasks {
		if !t.isDone() {
			return wrong("a trial is running, and nothing may run beside it", "poll the task, or cancel it", fmt.Sprintf(`{"task": %q}`, t.id))
		}
	}
	return wrong("a trial is ending", "call again in a second", "")
}

func commandLine(words []string) string { return clip(shellwords.Join(words), 300) }
