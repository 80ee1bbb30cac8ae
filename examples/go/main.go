// Builds relu(x * w + bias), infers a shape, writes the module and runs it, with Indim's C interface:
//
//	export CGO_CFLAGS=-I$INDIM/include CGO_LDFLAGS="-L$INDIM/lib -lindim_c -Wl,-rpath,$INDIM/lib"
//	go run . affine.pb
//
// INDIM is the tarball's folder, as an absolute path. Of a checkout, include is bindings/c/include, and lib is bazel-bin/packaging/install.
// With the name of a PJRT plugin behind the file it runs there, else in the reference evaluator.
package main

/*
#include <indim.h>
#include <stdlib.h>
*/
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"unsafe"
)

// Error is what a call of Indim returns: its text, and the parts of each diagnostic.
type Error struct {
	Status      int
	Text        string
	Diagnostics []Diagnostic
}

// Diagnostic is one thing that is wrong, and what would have worked.
type Diagnostic struct {
	Code    int
	Message string
	Fix     string
}

func (e *Error) Error() string { return e.Text }

func goText(t C.indim_text) string { return C.GoStringN(t.data, C.int(t.size)) }

func check(e *C.indim_error) error {
	if e == nil {
		return nil
	}
	defer C.indim_error_release(e)
	err := &Error{Status: int(C.indim_error_status(e)), Text: C.GoString(C.indim_error_message(e, nil))}
	list := C.indim_error_diagnostics(e)
	for i := C.size_t(0); i < C.indim_diagnostics_count(list); i++ {
		d := C.indim_diagnostic{struct_size: C.sizeof_indim_diagnostic}
		if C.indim_diagnostics_get(list, i, &d) != nil {
			break
		}
		err.Diagnostics = append(err.Diagnostics, Diagnostic{int(d.code), goText(d.message), goText(d.fix)})
	}
	return err
}

// text is a Go string as C takes it.
func text(s string) (*C.char, C.size_t) {
	if s == "" {
		return nil, 0
	}
	return (*C.char)(unsafe.Pointer(unsafe.StringData(s))), C.size_t(len(s))
}

// Shape is the type of a value.
type Shape struct{ c *C.indim_shape }

// ParseShape reads "f32[8,784]".
func ParseShape(s string) (*Shape, error) {
	var c *C.indim_shape
	data, size := text(s)
	if err := check(C.indim_shape_parse(data, size, &c)); err != nil {
		return nil, err
	}
	shape := &Shape{c}
	runtime.SetFinalizer(shape, func(s *Shape) { C.indim_shape_release(s.c) })
	return shape, nil
}

func (s *Shape) String() string { return C.GoString(C.indim_shape_text(s.c, nil)) }

// Infer gives the result of one operation, without a graph.
func Infer(opcode string, operands ...*Shape) (*Shape, error) {
	list := make([]*C.indim_shape, len(operands))
	for i, o := range operands {
		list[i] = o.c
	}
	var c *C.indim_shape
	data, size := text(opcode)
	err := check(C.indim_infer(data, size, unsafe.SliceData(list), C.size_t(len(list)), nil, nil, nil, 0, &c, nil))
	runtime.KeepAlive(operands)
	if err != nil {
		return nil, err
	}
	return &Shape{c}, nil
}

// Builder records a computation.
type Builder struct {
	c   *C.indim_builder
	err error // the first one; calls after it do nothing
}

// Value is a number of its builder.
type Value = C.indim_value

// NewBuilder begins a computation.
func NewBuilder(name string) *Builder {
	b := &Builder{}
	data, size := text(name)
	b.err = check(C.indim_builder_create(data, size, nil, &b.c))
	return b
}

// Parameter adds the next parameter.
func (b *Builder) Parameter(name, shape string) Value {
	s, err := ParseShape(shape)
	if b.err == nil {
		b.err = err
	}
	var v Value
	if b.err == nil {
		data, size := text(name)
		b.err = check(C.indim_parameter(b.c, -1, s.c, data, size, 0, &v))
	}
	return v
}

// Number is a scalar constant.
func (b *Builder) Number(elementType string, number float64) Value {
	var v Value
	if b.err == nil {
		data, size := text(elementType)
		t := C.indim_element_type_from_name(data, size)
		b.err = check(C.indim_constant_double(b.c, t, C.double(number), 0, &v))
	}
	return v
}

// Add records any operation, with attributes as HLO text has them.
func (b *Builder) Add(opcode, attributes string, operands ...Value) Value {
	var v Value
	if b.err != nil {
		return v
	}
	var pinner runtime.Pinner
	defer pinner.Unpin()
	a := &C.indim_attributes{struct_size: C.sizeof_indim_attributes}
	a.text, a.text_size = text(attributes)
	op := &C.indim_op{struct_size: C.sizeof_indim_op, attributes: a}
	op.name, op.name_size = text(opcode)
	op.operands, op.operand_count = unsafe.SliceData(operands), C.size_t(len(operands))
	pinner.Pin(a)
	if op.operands != nil {
		pinner.Pin(op.operands)
	}
	pinner.Pin(op.name)
	if a.text != nil {
		pinner.Pin(a.text)
	}
	b.err = check(C.indim_add(b.c, op, &v))
	return v
}

// Module is a finished graph.
type Module struct{ c *C.indim_module }

// Build ends the computation with its result.
func (b *Builder) Build(root Value) (*Module, error) {
	defer C.indim_builder_release(b.c)
	if b.err != nil {
		return nil, b.err
	}
	m := &Module{}
	return m, check(C.indim_build(b.c, root, nil, &m.c, nil))
}

// WriteFile writes what XLA compiles.
func (m *Module) WriteFile(path string) error {
	o := C.indim_write_options{struct_size: C.sizeof_indim_write_options, for_xla: 1}
	data, size := text(path)
	return check(C.indim_module_write_file(m.c, data, size, &o))
}

// F32 is an array of float32.
func F32(values []float32, sizes ...int64) (*C.indim_literal, error) {
	var l *C.indim_literal
	name, size := text("f32")
	t := C.indim_element_type_from_name(name, size)
	err := check(C.indim_literal_array(t, (*C.int64_t)(unsafe.Pointer(unsafe.SliceData(sizes))), C.size_t(len(sizes)),
		unsafe.Pointer(unsafe.SliceData(values)), C.size_t(4*len(values)), &l))
	return l, err
}

// Run computes the result: on a plugin, or, with "", in the evaluator.
func (m *Module) Run(plugin string, arguments ...*C.indim_literal) ([]float32, error) {
	var result *C.indim_literal
	list, count := unsafe.SliceData(arguments), C.size_t(len(arguments))
	if plugin == "" {
		if err := check(C.indim_evaluate(m.c, list, count, nil, &result)); err != nil {
			return nil, err
		}
	} else {
		var client *C.indim_client
		data, size := text(plugin)
		if err := check(C.indim_client_create(data, size, nil, 0, &client)); err != nil {
			return nil, err
		}
		defer C.indim_client_release(client)
		var executable *C.indim_executable
		if err := check(C.indim_compile(client, m.c, nil, &executable)); err != nil {
			return nil, err
		}
		defer C.indim_executable_release(executable)
		if err := check(C.indim_run(executable, list, count, &result)); err != nil {
			return nil, err
		}
	}
	defer C.indim_literal_release(result)
	var data unsafe.Pointer
	var size C.size_t
	if err := check(C.indim_literal_data(result, &data, &size)); err != nil {
		return nil, err
	}
	return append([]float32(nil), unsafe.Slice((*float32)(data), size/4)...), nil
}

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

func main() {
	path, plugin := "affine.pb", ""
	if len(os.Args) > 1 {
		path = os.Args[1]
	}
	if len(os.Args) > 2 {
		plugin = os.Args[2]
	}
	fmt.Println("Indim", C.GoString(C.indim_version(nil)))

	two, three := must(ParseShape("f32[2,1]")), must(ParseShape("f32[2,3]"))
	fmt.Println("add gives", must(Infer("add", two, three)))
	if _, err := Infer("dot", two); err != nil {
		fmt.Println("error:", err.(*Error).Diagnostics[0].Message)
	}

	b := NewBuilder("affine")
	x, w := b.Parameter("x", "f32[2,2]"), b.Parameter("w", "f32[2,2]")
	bias := b.Parameter("bias", "f32[2]")
	y := b.Add("dot", "lhs_contracting_dims={1}, rhs_contracting_dims={0}", x, w)
	y = b.Add("add", "broadcast_dimensions={1}", y, bias)
	y = b.Add("maximum", "", y, b.Number("f32", 0))
	module := must(b.Build(y))
	if err := module.WriteFile(path); err != nil {
		must(0, err)
	}
	fmt.Println(must(module.Run(plugin,
		must(F32([]float32{1, 2, 3, 4}, 2, 2)),
		must(F32([]float32{1, 0, 0, -1}, 2, 2)),
		must(F32([]float32{10, 1}, 2)))))
}
